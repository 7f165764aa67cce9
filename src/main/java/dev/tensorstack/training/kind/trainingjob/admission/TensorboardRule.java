package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.LogSource;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.spec.LogSources;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LogDir;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PvcLogs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.S3Logs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.SecretRef;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A TensorBoard has logs to show, and their places are well written.
 *
 * <p>Refuses: a TensorBoard without a place of logs, or with a malformed one, or with object stores
 * that need several Secrets.
 */
final class TensorboardRule implements Rule<PyTorchTrainingJobSpec> {

  /** A DNS subdomain, as claims and Secrets are named. */
  private static final String NAME = "[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?";

  private static final Pattern CLAIM = Pattern.compile(NAME);
  private static final Pattern FILESET =
      Pattern.compile("t9k://(pvc/" + NAME + "(/.*)?|minio/" + NAME + "/[^/\\s]+(/.*)?)");
  private static final Pattern S3 = Pattern.compile("s3://[^/\\s]+(/.*)?");
  private static final Pattern HTTP = Pattern.compile("https?://[^/\\s]+\\S*");
  private static final String LOG_DIR = "spec.tensorboardSpec.logDir";
  private static final String FILESETS = "spec.tensorboardSpec.trainingLogFilesets";

  @Override
  public String id() {
    return "tensorboard";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    TensorboardSpec tensorboard = subject.spec().tensorboardSpec();
    List<Violation> violations = new ArrayList<>();
    if (tensorboard == null) {
      return violations;
    }
    LogDir logDir = tensorboard.logDir();
    List<PvcLogs> claims = orEmpty(logDir == null ? null : logDir.pvc());
    S3Logs s3 = logDir == null ? null : logDir.s3();
    List<String> objects = orEmpty(s3 == null ? null : s3.uri());
    List<String> urls =
        orEmpty(logDir == null || logDir.http() == null ? null : logDir.http().url());
    List<String> filesets = orEmpty(tensorboard.trainingLogFilesets());
    if (claims.isEmpty() && objects.isEmpty() && urls.isEmpty() && filesets.isEmpty()) {
      violations.add(
          new Violation(
              id(),
              LOG_DIR,
              FieldValueRequired,
              "give at least one place of logs: logDir.pvc, logDir.s3 or logDir.http"));
    }
    for (int i = 0; i < claims.size(); i++) {
      claim(violations, LOG_DIR + ".pvc[" + i + "]", claims.get(i));
    }
    malformed(violations, LOG_DIR + ".s3.uri", objects, S3, "s3://<bucket>/<path>");
    malformed(violations, LOG_DIR + ".http.url", urls, HTTP, "http://<host>/<path>");
    malformed(
        violations,
        FILESETS,
        filesets,
        FILESET,
        "t9k://pvc/<claim>/<path> or t9k://minio/<secret>/<bucket>/<path>");
    if (!objects.isEmpty() && s3 != null && nameOf(s3.secretRef()) == null) {
      violations.add(
          new Violation(
              id(),
              LOG_DIR + (s3.secretRef() == null ? ".s3.secretRef" : ".s3.secretRef.name"),
              FieldValueRequired,
              "name the Secret that holds the object store's credentials"));
    }
    together(violations, tensorboard);
    return violations;
  }

  /** What each place may be, but not beside the others. */
  private void together(List<Violation> violations, TensorboardSpec tensorboard) {
    List<LogSource> sources = LogSources.of(tensorboard);
    List<String> secrets =
        sources.stream()
            .filter(source -> source.kind() == LogSource.Kind.OBJECT_STORE)
            .map(LogSource::holder)
            .filter(secret -> !secret.isBlank())
            .distinct()
            .toList();
    if (secrets.size() > 1) {
      violations.add(
          new Violation(
              id(),
              FILESETS,
              FieldValueInvalid,
              "the object stores need the Secrets "
                  + String.join(", ", secrets)
                  + ", but TensorBoard signs in with one: use one object store, or copy the logs"));
    }
    for (LogSource source : sources) {
      if (sources.size() > 1 && source.path().contains(",")) {
        violations.add(
            new Violation(
                id(),
                "spec.tensorboardSpec",
                FieldValueInvalid,
                "\""
                    + source.path()
                    + "\" has a comma, at which TensorBoard parts several places: give it as the only"
                    + " place, or name it otherwise"));
      }
    }
  }

  private void claim(List<Violation> violations, String path, @Nullable PvcLogs claim) {
    if (claim == null || claim.name() == null || claim.name().isBlank()) {
      violations.add(
          new Violation(
              id(),
              path + ".name",
              FieldValueRequired,
              "name a persistent volume claim of the job's namespace"));
      return;
    }
    if (!CLAIM.matcher(claim.name()).matches()) {
      violations.add(
          new Violation(
              id(),
              path + ".name",
              FieldValueInvalid,
              "\""
                  + claim.name()
                  + "\" cannot be the name of a claim: use lower case letters, digits, '-' and '.'"));
    }
    List<String> directories = orEmpty(claim.subPath());
    for (int i = 0; i < directories.size(); i++) {
      String directory = directories.get(i);
      if (directory == null || List.of(directory.split("/", -1)).contains("..")) {
        violations.add(
            new Violation(
                id(),
                path + ".subPath[" + i + "]",
                FieldValueInvalid,
                "\"" + directory + "\" is no directory in the claim: write its path without .."));
      }
    }
  }

  private static @Nullable String nameOf(@Nullable SecretRef secret) {
    return secret == null || secret.name() == null || secret.name().isBlank()
        ? null
        : secret.name();
  }

  private void malformed(
      List<Violation> violations, String path, List<String> values, Pattern form, String shown) {
    for (int i = 0; i < values.size(); i++) {
      String value = values.get(i);
      if (value == null || !form.matcher(value).matches()) {
        violations.add(
            new Violation(
                id(),
                path + "[" + i + "]",
                FieldValueInvalid,
                "\"" + value + "\" is not of the form " + shown));
      }
    }
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }
}
