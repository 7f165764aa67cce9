package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;

/** What one warning says of small jobs, named mnist, at their creation and at a change. */
final class WarningTester {

  private final Warning<PyTorchTrainingJobSpec> warning;

  WarningTester(Warning<PyTorchTrainingJobSpec> warning) {
    this.warning = warning;
  }

  /** A job as the user gave it. */
  static WarningContext<PyTorchTrainingJobSpec> given(String spec) {
    PyTorchTrainingJobSpec given =
        Objects.requireNonNullElse(
            Serialization.unmarshal("---\n" + spec, PyTorchTrainingJobSpec.class),
            new PyTorchTrainingJobSpec(null, null, null, null, null, null, null, null));
    return new WarningContext<>(given, new RuleContext<>("mnist", World.spec(spec), null));
  }

  /** What the user is told. */
  List<String> check(String spec) {
    WarningContext<PyTorchTrainingJobSpec> created = given(spec);
    List<String> texts = warning.check(created);
    RuleContext<PyTorchTrainingJobSpec> subject = created.subject();
    assertThat(
            warning.check(
                new WarningContext<>(
                    created.given(), new RuleContext<>("mnist", subject.spec(), subject.spec()))))
        .as("when the job is changed")
        .isEqualTo(texts);
    assertThat(texts).allMatch(text -> text.startsWith("spec."));
    return texts;
  }
}
