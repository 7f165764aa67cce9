package dev.tensorstack.training.kind.trainingjob.spec;

import dev.tensorstack.training.core.model.LogSource;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LogDir;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PvcLogs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.SecretRef;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The places of training logs, whichever way a job says them. */
public final class LogSources {

  private static final String FILESET = "t9k://";

  private LogSources() {}

  /**
   * The places of a TensorBoard, those of {@code logDir} first.
   *
   * @param tensorboard what the job asks for; what is malformed in it is left out
   * @return the places, none twice
   */
  public static List<LogSource> of(TensorboardSpec tensorboard) {
    Set<LogSource> sources = new LinkedHashSet<>();
    LogDir logDir = tensorboard.logDir();
    if (logDir != null) {
      for (PvcLogs claim : orEmpty(logDir.pvc())) {
        addClaim(sources, claim);
      }
      if (logDir.s3() != null) {
        String secret = nameOf(logDir.s3().secretRef());
        orEmpty(logDir.s3().uri())
            .forEach(uri -> sources.add(new LogSource(LogSource.Kind.OBJECT_STORE, secret, uri)));
      }
      if (logDir.http() != null) {
        orEmpty(logDir.http().url())
            .forEach(url -> sources.add(new LogSource(LogSource.Kind.HTTP, "", url)));
      }
    }
    for (String fileset : orEmpty(tensorboard.trainingLogFilesets())) {
      LogSource source = ofFileset(fileset);
      if (source != null) {
        sources.add(source);
      }
    }
    return List.copyOf(sources);
  }

  private static void addClaim(Set<LogSource> sources, PvcLogs claim) {
    List<String> directories = orEmpty(claim.subPath());
    if (claim.name() == null) {
      return;
    }
    if (directories.isEmpty()) {
      sources.add(new LogSource(LogSource.Kind.CLAIM, claim.name(), ""));
    }
    for (String directory : directories) {
      sources.add(new LogSource(LogSource.Kind.CLAIM, claim.name(), trimmed(directory)));
    }
  }

  /** {@code t9k://pvc/<claim>/<path>} or {@code t9k://minio/<secret>/<bucket>/<path>}. */
  private static @Nullable LogSource ofFileset(String fileset) {
    if (!fileset.startsWith(FILESET)) {
      return null;
    }
    String[] parts = fileset.substring(FILESET.length()).split("/", 3);
    String path = parts.length < 3 ? "" : parts[2];
    if (parts.length >= 2 && parts[0].equals("pvc")) {
      return new LogSource(LogSource.Kind.CLAIM, parts[1], trimmed(path));
    }
    if (parts.length == 3 && parts[0].equals("minio")) {
      return new LogSource(LogSource.Kind.OBJECT_STORE, parts[1], "s3://" + path);
    }
    return null;
  }

  /** A path in a claim: {@code ./a/b/}, {@code /a/b} and {@code a/b} are the same directory. */
  private static String trimmed(String path) {
    List<String> steps = new ArrayList<>(List.of(path.split("/", -1)));
    steps.removeIf(step -> step.isEmpty() || step.equals("."));
    return String.join("/", steps);
  }

  private static String nameOf(@Nullable SecretRef secret) {
    return secret == null || secret.name() == null ? "" : secret.name();
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list.stream().filter(Objects::nonNull).toList();
  }
}
