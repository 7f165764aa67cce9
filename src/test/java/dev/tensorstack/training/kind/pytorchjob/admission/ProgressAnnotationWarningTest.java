package dev.tensorstack.training.kind.pytorchjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who asks for progress in a way that cannot be understood is told. */
class ProgressAnnotationWarningTest {

  private static List<String> check(Map<String, String> annotations) {
    PyTorchJobSpec spec = new PyTorchJobSpec(null, null, null, null);
    return new ProgressAnnotationWarning()
        .check(
            new WarningContext<>(
                spec, Map.of(), annotations, new RuleContext<>("mnist", spec, null)));
  }

  @Test
  void whatIsWrongIsToldWithTheAnnotationsName() {
    assertThat(check(Map.of("batch.tensorstack.dev/progress", "{\"stallSeconds\": 0}")))
        .singleElement()
        .asString()
        .startsWith("metadata.annotations[batch.tensorstack.dev/progress]: ")
        .contains("at least 1 second", "no hang is found");
  }

  @Test
  void nothingElseIsWarnedOf() {
    assertThat(check(Map.of())).isEmpty();
    assertThat(check(Map.of("batch.tensorstack.dev/progress", "{\"stallSeconds\": 9}"))).isEmpty();
  }
}
