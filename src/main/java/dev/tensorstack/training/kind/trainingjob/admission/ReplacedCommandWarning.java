package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.pod.PythonCommandLine;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ResumeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * torchrun takes the place of the training container's command. Nothing is lost of a Python command
 * line without options: torchrun starts Python, and the operator understands the script in it.
 *
 * <p>Warns of: a command, or options of Python in it, that torchrun replaces.
 */
final class ReplacedCommandWarning implements Warning<PyTorchTrainingJobSpec> {

  /** Python's {@code -u} is given to all containers as PYTHONUNBUFFERED. */
  private static final String UNBUFFERED = "-u";

  private static final int MOST_SHOWN = 40;

  @Override
  public String id() {
    return "replaced-command";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    PyTorchTrainingJobSpec spec = job.subject().spec();
    List<String> texts = new ArrayList<>();
    if (!spec.torchrunOn()) {
      return texts;
    }
    for (PlacedContainer<ReplicaSpec> training : PlacedContainers.training(spec)) {
      one(texts, training.path() + ".command", training.container().getCommand());
    }
    if (spec.runMode() != null && spec.runMode().pause() != null) {
      List<ResumeSpec> resume =
          Objects.requireNonNullElse(spec.runMode().pause().resumeSpecs(), List.of());
      for (int i = 0; i < resume.size(); i++) {
        if (resume.get(i) != null) {
          String path = "spec.runMode.pause.resumeSpecs[" + i + "].command";
          one(texts, path, resume.get(i).command());
        }
      }
    }
    return texts;
  }

  private static void one(List<String> texts, String path, @Nullable List<String> command) {
    if (command == null || command.isEmpty() || command.equals(List.of("torchrun"))) {
      return;
    }
    List<String> script = PythonCommandLine.scriptOf(command);
    List<String> lost = words(command);
    if (PythonCommandLine.isPython(command)) {
      lost = words(command.subList(1, Math.max(1, command.size() - script.size())));
      lost.removeIf(UNBUFFERED::equals);
    }
    if (lost.isEmpty()) {
      return;
    }
    texts.add(
        path
            + ": \""
            + shown(lost)
            + (script.isEmpty()
                ? "\" is lost, because torchrun is started instead: write the script and its"
                    + " arguments in args, or set torchrunConfig.enabled to false"
                : "\" is lost, because torchrun starts Python without options: use Python's"
                    + " environment variables instead"));
  }

  /** Enough of it to recognise: the advice behind it has to fit into the line. */
  private static String shown(List<String> words) {
    String text = String.join(" ", words);
    return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
  }

  private static List<String> words(List<String> command) {
    List<String> words = new ArrayList<>(command);
    words.replaceAll(word -> Objects.requireNonNullElse(word, ""));
    return words;
  }
}
