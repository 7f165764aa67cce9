package dev.tensorstack.training.reference;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.crd.CrdRules;
import dev.tensorstack.training.crd.RuleInCrd;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The catalogue of admission messages, made from the rules and from an example of each. */
public final class AdmissionReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/admission.md");

  private static final Path EXAMPLES = Path.of("examples/invalid");
  private static final Path WARNED = Path.of("examples/warnings");
  private static final Warnings WARNINGS = new Warnings(AcceleratorResources.DEFAULT);

  private static final String POD_DRY_RUN =
      """

      ## pod-dry-run

      A new job that breaks none of these rules is shown to the API server pod by pod: one of each type, with
      `dryRun=All`, so that nothing is created. What its answer means:

      | Answer | The job is |
      |---|---|
      | 400, 422: the pod is invalid | refused, with the field of the job in the place of the pod's |
      | 403, a quota's, a policy's or another webhook's refusal | accepted with a warning: it may be changed while the job waits |
      | a field that no pod has | accepted with a warning |
      | anything else, or none within two seconds | accepted |

      [Example](../../examples/invalid/%s) and answer of `kubectl apply`:

      ```text
      %s```

      In the CRD: no; pods that cannot be created leave the job `Pending`, with the reason `InvalidSpec`.
      """;

  private AdmissionReference() {}

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    StringBuilder page = new StringBuilder();
    page.append("# Rules and warnings of admission\n\n")
        .append("<!-- Made from the rules by GeneratedFilesTest; do not edit. -->\n\n")
        .append(
            "A job that cannot work is refused at `kubectl apply`, with all its mistakes at once, each with its ")
        .append("field and its remedy. One that slipped in all the same is failed before it has a ")
        .append("pod, with the reason `InvalidSpec` and the same words. Each rule has an example ")
        .append("in [examples/invalid](../../examples/invalid).\n\n")
        .append("The last column says what the CRD holds by itself, in CEL, also where no webhook ")
        .append(
            "is installed; see [Without the webhooks](../concepts.md#without-the-webhooks).\n\n")
        .append("| Rule | Refuses | In the CRD |\n|---|---|---|\n");
    for (Rule<PyTorchTrainingJobSpec> rule : Rules.ALL) {
      page.append("| [`")
          .append(rule.id())
          .append("`](#")
          .append(rule.id())
          .append(") | ")
          .append(JavadocParagraph.of(rule.getClass(), "Refuses"))
          .append(" | ")
          .append(CrdRules.of(rule.id()).inShort())
          .append(" |\n");
    }
    for (Rule<PyTorchTrainingJobSpec> rule : Rules.ALL) {
      page.append("\n## ")
          .append(rule.id())
          .append("\n\nRefuses ")
          .append(JavadocParagraph.of(rule.getClass(), "Refuses"))
          .append(".\n\n[Example](../../examples/invalid/")
          .append(rule.id())
          .append(".yaml) and answer:\n\n```text\n");
      for (Violation violation : violations(rule.id())) {
        page.append(violation.describe()).append("\n");
      }
      RuleInCrd inCrd = CrdRules.of(rule.id());
      page.append("```\n\nIn the CRD: ").append(inCrd.inShort());
      if (!inCrd.otherwise().isEmpty()) {
        page.append("; ").append(inCrd.otherwise());
      }
      page.append(".\n");
    }
    page.append(
        POD_DRY_RUN.formatted(PodDryRunExample.FILE.getFileName(), PodDryRunExample.ANSWER));
    warnings(page);
    return page.toString();
  }

  private static void warnings(StringBuilder page) {
    page.append("\n# Warnings\n\n")
        .append("A job that may not do what it seems to say is accepted with a warning, one line ")
        .append("for each place: at most 30 lines, of 2600 characters together. The examples are ")
        .append("in [examples/warnings](../../examples/warnings).\n\n")
        .append("| Warning | Warns of |\n|---|---|\n");
    for (Warning<PyTorchTrainingJobSpec> warning : WARNINGS.all()) {
      page.append("| [`")
          .append(warning.id())
          .append("`](#")
          .append(warning.id())
          .append(") | ")
          .append(JavadocParagraph.of(warning.getClass(), "Warns of"))
          .append(" |\n");
    }
    for (Warning<PyTorchTrainingJobSpec> warning : WARNINGS.all()) {
      page.append("\n## ")
          .append(warning.id())
          .append("\n\nWarns of ")
          .append(JavadocParagraph.of(warning.getClass(), "Warns of"))
          .append(".\n\n[Example](../../examples/warnings/")
          .append(warning.id())
          .append(".yaml) and answer:\n\n```text\n");
      warned(warning.id()).forEach(text -> page.append(text).append("\n"));
      page.append("```\n");
    }
  }

  /**
   * What is said of an example of a warning.
   *
   * @param warning the warning's id, which names the file
   * @return all warnings, of this one and of others
   */
  static List<String> warned(String warning) {
    return WARNINGS.texts(given(warning));
  }

  /**
   * An example of a warning as warnings see it.
   *
   * @param warning the warning's id, which names the file
   * @return the job
   */
  static WarningContext<PyTorchTrainingJobSpec> given(String warning) {
    PyTorchTrainingJob job = documents(WARNED, warning).get(0);
    return new WarningContext<>(
        job.getSpec(),
        Objects.requireNonNullElse(job.getMetadata().getLabels(), Map.of()),
        new RuleContext<>(job.getMetadata().getName(), complete(job), null));
  }

  /**
   * What the rules say of an example.
   *
   * @param rule the rule's id, which names the file; a file of two documents is a change from the
   *     first to the second
   * @return all violations, of this rule and of others
   */
  static List<Violation> violations(String rule) {
    List<PyTorchTrainingJob> documents = documents(EXAMPLES, rule);
    PyTorchTrainingJob last = documents.get(documents.size() - 1);
    PyTorchTrainingJobSpec old = documents.size() == 1 ? null : complete(documents.get(0));
    return Rules.check(new RuleContext<>(last.getMetadata().getName(), complete(last), old));
  }

  private static List<PyTorchTrainingJob> documents(Path folder, String id) {
    List<PyTorchTrainingJob> documents = new ArrayList<>();
    try {
      for (String document : Files.readString(folder.resolve(id + ".yaml")).split("\n---\n", -1)) {
        documents.add(Serialization.unmarshal(document, PyTorchTrainingJob.class));
      }
    } catch (IOException missing) {
      throw new UncheckedIOException("each rule and each warning needs an example", missing);
    }
    return documents;
  }

  private static PyTorchTrainingJobSpec complete(PyTorchTrainingJob job) {
    return new Defaulter(AcceleratorResources.DEFAULT).complete(job.getSpec());
  }
}
