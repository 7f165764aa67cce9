package dev.tensorstack.training.kubectl.job;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A job as the user names it: {@code NAME} or {@code KIND/NAME}.
 *
 * @param kind the kind; null when only a name was given
 * @param name the job's name
 */
public record JobReference(@Nullable JobKind kind, String name) {

  /**
   * Reads what the user wrote.
   *
   * @param text for example {@code mnist}, {@code pj/mnist} or {@code
   *     pytorchjob.kubeflow.org/mnist}
   * @return the reference
   * @throws IllegalArgumentException with a sentence for the user, when it is neither
   */
  public static JobReference parse(String text) {
    int slash = text.indexOf('/');
    String name = text.substring(slash + 1);
    if (!name.matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?")) {
      throw new IllegalArgumentException(
          "\"" + text + "\" names no job: write NAME or KIND/NAME, for example " + kinds("mnist"));
    }
    if (slash < 0) {
      return new JobReference(null, name);
    }
    JobKind kind = JobKind.of(text.substring(0, slash));
    if (kind == null) {
      throw new IllegalArgumentException(
          "\"" + text.substring(0, slash) + "\" is no kind of job: write " + kinds(name));
    }
    return new JobReference(kind, name);
  }

  private static String kinds(String name) {
    return Arrays.stream(JobKind.values())
        .map(kind -> kind.word() + "/" + name)
        .collect(Collectors.joining(" or "));
  }

  @Override
  public String toString() {
    return kind == null ? name : kind.word() + "/" + name;
  }
}
