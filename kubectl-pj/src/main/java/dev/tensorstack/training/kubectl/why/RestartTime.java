package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Tree;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** When a job that waits for its restart is started again. */
final class RestartTime {

  private static final Pattern TOLD = Pattern.compile("restart at (\\S+?Z)");

  private RestartTime() {}

  /**
   * The next restart.
   *
   * @param job the job
   * @return the moment; null when the status does not tell it
   */
  static @Nullable Instant of(Job job) {
    String message = job.status().message();
    Matcher told = TOLD.matcher(message == null ? "" : message);
    if (told.find()) {
      Instant time = Tree.of(told.group(1)).time();
      if (time != null) {
        return time;
      }
    }
    return job.status().restartAt();
  }
}
