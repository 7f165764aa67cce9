package dev.tensorstack.training.reference;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.gang.VolcanoGang;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.crd.CrdRules;
import dev.tensorstack.training.crd.RuleInCrd;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.trainingjob.TrainingJobAdmission;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The catalogue of a kind's admission messages, made from the rules and from an example of each.
 *
 * @param <S> the Java type of the kind's spec
 */
public final class AdmissionReference<S> {

  private static final String GANG_SCHEDULER = VolcanoGang.SCHEDULER_NAME;

  private static final String POD_DRY_RUN_EXAMPLE =
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

      A job with the label of a queue, in a cluster that does not serve what the queue is of, is accepted with a warning too: it
      starts without waiting.

      [Example](../../examples/invalid/%s) and answer of `kubectl apply`:

      ```text
      %s```

      In the CRD: no; pods that cannot be created leave the job `Pending`, with the reason `InvalidSpec`.
      """;

  /** Of {@code PyTorchTrainingJob}. */
  public static final AdmissionReference<PyTorchTrainingJobSpec> TRAINING_JOB =
      new AdmissionReference<>(
          new TrainingJobAdmission(AcceleratorResources.DEFAULT, TrainingJobDefaults.NONE),
          Rules.ALL,
          new Warnings(AcceleratorResources.DEFAULT).all(),
          new Texts(
              Path.of("docs/reference/admission.md"),
              Path.of("examples"),
              "# Rules and warnings of admission",
              "with the reason `InvalidSpec` and the same words",
              "The last column says what the API server holds by itself, in CEL, also where no webhook is"
                  + " installed; see [Without the webhooks](../concepts.md#without-the-webhooks).",
              POD_DRY_RUN_EXAMPLE.formatted(
                  PodDryRunExample.FILE.getFileName(), PodDryRunExample.ANSWER)),
          CrdRules::of);

  /** Of {@code PyTorchJob}, where Volcano is the gang scheduler. */
  public static final AdmissionReference<PyTorchJobSpec> PYTORCH_JOB =
      new AdmissionReference<>(
          new PyTorchJobAdmission(
              new PyTorchJobSettings(GANG_SCHEDULER, null), ClusterDefaults.NONE),
          dev.tensorstack.training.kind.pytorchjob.admission.Rules.ALL,
          new dev.tensorstack.training.kind.pytorchjob.admission.Warnings(GANG_SCHEDULER).all(),
          new Texts(
              Path.of("docs/reference/admission-pytorchjob.md"),
              Path.of("examples/pytorchjob"),
              "# Rules and warnings of admission of PyTorchJob",
              "with the same words",
              "The CRD holds by itself that `runPolicy.managedBy` and `runPolicy.schedulingPolicy.queue`"
                  + " keep the value that they have, also where no webhook is installed, as Kubeflow's CRD does."
                  + " That they neither come nor go is held by the webhook alone.",
              """

              ## pod-dry-run

              A new job that breaks none of these rules is shown to the API server pod by pod, as one of the
              [other kind](admission.md#pod-dry-run) is.
              """),
          null);

  private final List<? extends Rule<S>> rules;
  private final List<? extends Warning<S>> warnings;
  private final Texts texts;
  private final @Nullable Function<String, RuleInCrd> inCrd;
  private final Examples<S> invalid;
  private final Examples<S> warned;

  private <R extends CustomResource<?, ?>> AdmissionReference(
      JobAdmission<R, S> kind,
      List<? extends Rule<S>> rules,
      List<? extends Warning<S>> warnings,
      Texts texts,
      @Nullable Function<String, RuleInCrd> inCrd) {
    this.rules = rules;
    this.warnings = warnings;
    this.texts = texts;
    this.inCrd = inCrd;
    this.invalid = new Examples<>(texts.examples().resolve("invalid"), file -> read(kind, file));
    this.warned = new Examples<>(texts.examples().resolve("warnings"), file -> read(kind, file));
  }

  /**
   * What is another text for each kind.
   *
   * @param page the page, relative to the checkout
   * @param examples the folder of the examples
   * @param title the page's heading
   * @param failedWith how a job that slipped in is failed
   * @param inCrd what the CRD holds by itself
   * @param podDryRun what is said of the dry run of pods
   */
  private record Texts(
      Path page, Path examples, String title, String failedWith, String inCrd, String podDryRun) {}

  /**
   * A job of an example.
   *
   * @param name its name
   * @param labels its labels
   * @param annotations its annotations
   * @param given its spec as it is written
   * @param completed its spec with all defaults
   */
  private record Job<S>(
      String name,
      Map<String, String> labels,
      Map<String, String> annotations,
      S given,
      S completed) {}

  /**
   * The examples of one folder.
   *
   * @param folder the folder
   * @param reader reads one document
   */
  private record Examples<S>(Path folder, Function<String, Job<S>> reader) {

    List<Job<S>> documents(String id) {
      List<Job<S>> documents = new ArrayList<>();
      try {
        for (String text : Files.readString(folder.resolve(id + ".yaml")).split("\n---\n", -1)) {
          documents.add(reader.apply(text));
        }
      } catch (IOException missing) {
        throw new UncheckedIOException("each rule and each warning needs an example", missing);
      }
      return documents;
    }

    String link() {
      return "../../" + folder;
    }
  }

  private static <R extends CustomResource<?, ?>, S> Job<S> read(
      JobAdmission<R, S> kind, String document) {
    R job = Serialization.unmarshal(document, kind.type());
    HasMetadata object = job;
    S given = kind.spec(job);
    return new Job<>(
        object.getMetadata().getName(),
        requireNonNullElse(object.getMetadata().getLabels(), Map.of()),
        requireNonNullElse(object.getMetadata().getAnnotations(), Map.of()),
        given,
        kind.complete(given, null));
  }

  /**
   * Where the project keeps the page.
   *
   * @return a path, relative to the checkout
   */
  public Path file() {
    return texts.page();
  }

  /**
   * The rules of the kind.
   *
   * @return all, in their order
   */
  public List<? extends Rule<S>> rules() {
    return rules;
  }

  /**
   * The warnings of the kind.
   *
   * @return all, in their order
   */
  public List<? extends Warning<S>> warnings() {
    return warnings;
  }

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public String generate() {
    StringBuilder page = new StringBuilder();
    page.append(texts.title())
        .append("\n\n<!-- Made from the rules by GeneratedFilesTest; do not edit. -->\n\n")
        .append(
            "A job that cannot work is refused at `kubectl apply`, with all its mistakes at once, each with its ")
        .append("field and its remedy. One that slipped in all the same is failed before it has a ")
        .append("pod, ")
        .append(texts.failedWith())
        .append(". Each rule has an example in [")
        .append(invalid.folder())
        .append("](")
        .append(invalid.link())
        .append(").\n\n")
        .append(texts.inCrd())
        .append("\n\n| Rule | Refuses |")
        .append(inCrd == null ? "\n|---|---|\n" : " In the CRD |\n|---|---|---|\n");
    for (Rule<S> rule : rules) {
      page.append("| [`")
          .append(rule.id())
          .append("`](#")
          .append(rule.id())
          .append(") | ")
          .append(JavadocParagraph.of(rule.getClass(), "Refuses"))
          .append(inCrd == null ? "" : " | " + inCrd.apply(rule.id()).inShort())
          .append(" |\n");
    }
    for (Rule<S> rule : rules) {
      example(page, rule.id(), "Refuses", rule.getClass(), invalid);
      for (Violation violation : violations(rule.id())) {
        page.append(violation.describe()).append("\n");
      }
      page.append("```\n");
      if (inCrd != null) {
        RuleInCrd said = inCrd.apply(rule.id());
        page.append("\nIn the CRD: ").append(said.inShort());
        if (!said.otherwise().isEmpty()) {
          page.append("; ").append(said.otherwise());
        }
        page.append(".\n");
      }
    }
    page.append(texts.podDryRun());
    warnings(page);
    return page.toString();
  }

  private void warnings(StringBuilder page) {
    page.append("\n# Warnings\n\n")
        .append("A job that may not do what it seems to say is accepted with a warning, one line ")
        .append("for each place: at most 30 lines, of 2600 characters together. The examples are ")
        .append("in [")
        .append(warned.folder())
        .append("](")
        .append(warned.link())
        .append(").\n\n")
        .append("| Warning | Warns of |\n|---|---|\n");
    for (Warning<S> warning : warnings) {
      page.append("| [`")
          .append(warning.id())
          .append("`](#")
          .append(warning.id())
          .append(") | ")
          .append(JavadocParagraph.of(warning.getClass(), "Warns of"))
          .append(" |\n");
    }
    for (Warning<S> warning : warnings) {
      example(page, warning.id(), "Warns of", warning.getClass(), warned);
      warned(warning.id()).forEach(text -> page.append(text).append("\n"));
      page.append("```\n");
    }
  }

  /** The section of a rule or a warning, as far as the words about its example. */
  private static void example(
      StringBuilder page, String id, String verb, Class<?> type, Examples<?> examples) {
    page.append("\n## ")
        .append(id)
        .append("\n\n")
        .append(verb)
        .append(" ")
        .append(JavadocParagraph.of(type, verb))
        .append(".\n\n[Example](")
        .append(examples.link())
        .append("/")
        .append(id)
        .append(".yaml) and answer:\n\n```text\n");
  }

  /**
   * What is said of an example of a warning.
   *
   * @param warning the warning's id, which names the file
   * @return all warnings, of this one and of others
   */
  List<String> warned(String warning) {
    return Warning.checkAll(warnings, given(warning));
  }

  /**
   * An example of a warning as warnings see it.
   *
   * @param warning the warning's id, which names the file
   * @return the job
   */
  WarningContext<S> given(String warning) {
    Job<S> job = warned.documents(warning).get(0);
    return new WarningContext<>(
        job.given(),
        job.labels(),
        job.annotations(),
        new RuleContext<>(job.name(), job.completed(), null));
  }

  /**
   * What the rules say of an example.
   *
   * @param rule the rule's id, which names the file; a file of two documents is a change from the
   *     first to the second
   * @return all violations, of this rule and of others
   */
  List<Violation> violations(String rule) {
    List<Job<S>> documents = invalid.documents(rule);
    Job<S> last = documents.get(documents.size() - 1);
    S old = documents.size() == 1 ? null : documents.get(0).completed();
    return Rule.checkAll(rules, new RuleContext<>(last.name(), last.completed(), old));
  }
}
