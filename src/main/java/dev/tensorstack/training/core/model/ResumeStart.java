package dev.tensorstack.training.core.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of a replica type run after a resume.
 *
 * @param command the training container's command; null for the template's
 * @param args its arguments; null for the template's
 * @param skipInitContainers whether the pods have no init containers
 */
public record ResumeStart(
    @Nullable List<String> command, @Nullable List<String> args, boolean skipInitContainers) {

  /** A resume that starts what the template says. */
  public static final ResumeStart AS_BEFORE = new ResumeStart(null, null, false);
}
