package dev.tensorstack.training.reference;

import dev.tensorstack.training.admission.Defaulter;
import dev.tensorstack.training.admission.Rule;
import dev.tensorstack.training.admission.Rules;
import dev.tensorstack.training.admission.Subject;
import dev.tensorstack.training.admission.Violation;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.policy.AcceleratorResources;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The catalogue of admission messages, made from the rules and from an example of each. */
public final class AdmissionReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/admission.md");

  private static final Path EXAMPLES = Path.of("examples/invalid");

  private AdmissionReference() {}

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    StringBuilder page = new StringBuilder();
    page.append("# Rules of admission\n\n")
        .append("<!-- Made from the rules by GeneratedFilesTest; do not edit. -->\n\n")
        .append(
            "A job that cannot work is failed before it has a pod, with the reason `InvalidSpec` and ")
        .append(
            "all its mistakes at once, each with its field and its remedy. Rules about changes ")
        .append("are not enforced yet: that takes the webhooks. Each rule has an example in ")
        .append("[examples/invalid](../../examples/invalid).\n\n")
        .append("| Rule | Refuses |\n|---|---|\n");
    for (Rule rule : Rules.ALL) {
      page.append("| [`")
          .append(rule.id())
          .append("`](#")
          .append(rule.id())
          .append(") | ")
          .append(rule.refuses())
          .append(" |\n");
    }
    for (Rule rule : Rules.ALL) {
      page.append("\n## ")
          .append(rule.id())
          .append("\n\nRefuses ")
          .append(rule.refuses())
          .append(".\n\n[Example](../../examples/invalid/")
          .append(rule.id())
          .append(".yaml) and answer:\n\n```\n");
      for (Violation violation : violations(rule.id())) {
        page.append(violation.describe()).append("\n");
      }
      page.append("```\n");
    }
    return page.toString();
  }

  /**
   * What the rules say of an example.
   *
   * @param rule the rule's id, which names the file; a file of two documents is a change from the
   *     first to the second
   * @return all violations, of this rule and of others
   */
  static List<Violation> violations(String rule) {
    List<PyTorchTrainingJob> documents = new ArrayList<>();
    try {
      for (String document :
          Files.readString(EXAMPLES.resolve(rule + ".yaml")).split("\n---\n", -1)) {
        documents.add(Serialization.unmarshal(document, PyTorchTrainingJob.class));
      }
    } catch (IOException missing) {
      throw new UncheckedIOException("each rule needs an example", missing);
    }
    PyTorchTrainingJob last = documents.get(documents.size() - 1);
    PyTorchTrainingJobSpec old = documents.size() == 1 ? null : complete(documents.get(0));
    return Rules.check(new Subject(last.getMetadata().getName(), complete(last), old));
  }

  private static PyTorchTrainingJobSpec complete(PyTorchTrainingJob job) {
    return new Defaulter(AcceleratorResources.DEFAULT).complete(job.getSpec());
  }
}
