package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusCause;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the API server's answer to the dry run of a pod means for the job
 * (docs/reference/admission.md, Dry run). Only what makes the pod itself invalid refuses: quotas,
 * policies and other webhooks may be changed while the job waits.
 *
 * @param violations what makes the pod invalid, with fields of the job
 * @param warnings what the user should know
 * @param taken whether the API server would create the pod, and had nothing to say of it
 */
record PodAnswer(List<Violation> violations, List<String> warnings, boolean taken) {

  /** The rule's name in refusals. */
  static final String RULE = "pod-dry-run";

  private static final int MULTIPLE_CHOICES = 300;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int UNPROCESSABLE = 422;

  private static final Pattern BY_A_POLICY =
      Pattern.compile("denied (the )?request|does not support dry run");

  /** The tried pod's name; without it, the pods of all types are refused in the same words. */
  private static final Pattern WHICH_POD = Pattern.compile("^pods \"[^\"]*\" is forbidden: ");

  private static final Pattern WARNING_TEXT = Pattern.compile("^\\d{3} \\S+ \"(.*)\".*$");
  private static final Pattern UNKNOWN_FIELD =
      Pattern.compile("^(unknown|duplicate) field \\\\?\"([^\"\\\\]+)\\\\?\"$");

  private static final Pattern HIDES =
      Pattern.compile("^(\\S+): hides previous definition of \\\\?\"([^\"\\\\]+)\\\\?\".*$");

  /** Nothing was found, or nothing could be asked. */
  static final PodAnswer NO_OBJECTION = new PodAnswer(List.of(), List.of());

  /** The API server would create the pod. */
  static final PodAnswer TAKEN = new PodAnswer(List.of(), List.of(), true);

  /** An answer that says something, or none. */
  PodAnswer(List<Violation> violations, List<String> warnings) {
    this(violations, warnings, false);
  }

  /**
   * Reads an answer.
   *
   * @param code the HTTP status
   * @param status the body of an error; null when it could not be read
   * @param warningHeaders the values of the HTTP header {@code Warning}
   * @param path where the pod's fields come from
   */
  static PodAnswer of(
      int code, @Nullable Status status, List<String> warningHeaders, TemplatePath path) {
    if (code < MULTIPLE_CHOICES && warningHeaders.isEmpty()) {
      return TAKEN;
    }
    List<Violation> violations = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    warningHeaders.forEach(header -> warnings.add(warning(header, path)));
    if (status == null || code < BAD_REQUEST) {
      return new PodAnswer(violations, warnings);
    }
    String message = status.getMessage() == null ? "" : status.getMessage();
    boolean byAPolicy = BY_A_POLICY.matcher(message).find();
    if ((code == BAD_REQUEST || code == UNPROCESSABLE) && !byAPolicy) {
      violations.addAll(violations(status, message, path));
    } else if (code == FORBIDDEN || byAPolicy && !message.contains("dry run")) {
      warnings.add(
          path.of("")
              + ": its pods would be refused at present: "
              + WHICH_POD.matcher(message).replaceFirst(""));
    }
    return new PodAnswer(violations, warnings);
  }

  private static List<Violation> violations(Status status, String message, TemplatePath path) {
    List<StatusCause> causes =
        status.getDetails() == null ? List.of() : status.getDetails().getCauses();
    if (causes.isEmpty()) {
      List<Violation> quantities = MalformedQuantities.in(path);
      if (message.contains("quantities must match") && !quantities.isEmpty()) {
        return quantities;
      }
      return List.of(
          new Violation(
              RULE, path.of(""), Violation.Reason.FieldValueInvalid, "is no pod: " + message));
    }
    return causes.stream()
        .map(
            cause ->
                new Violation(
                    RULE, path.of(cause.getField()), reason(cause.getReason()), text(cause)))
        .distinct()
        .toList();
  }

  private static String text(StatusCause cause) {
    return cause.getMessage() == null ? "is invalid" : cause.getMessage();
  }

  private static Violation.Reason reason(@Nullable String word) {
    for (Violation.Reason reason : Violation.Reason.values()) {
      if (reason.name().equals(word)) {
        return reason;
      }
    }
    return Violation.Reason.FieldValueInvalid;
  }

  private static String warning(String header, TemplatePath path) {
    Matcher quoted = WARNING_TEXT.matcher(header);
    String text = quoted.matches() ? quoted.group(1) : header;
    Matcher field = UNKNOWN_FIELD.matcher(text);
    if (field.matches()) {
      return path.of(field.group(2))
          + ": "
          + (field.group(1).equals("unknown")
              ? "no pod has such a field, it is ignored; is it misspelt?"
              : "is given twice, the last one counts");
    }
    Matcher hides = HIDES.matcher(text);
    if (hides.matches()) {
      String hidden = path.hidden(hides.group(1), hides.group(2));
      return hidden == null
          ? path.of(hides.group(1)) + ": hides another definition of " + hides.group(2)
          : hidden
              + ": the operator sets "
              + hides.group(2)
              + " too, and its value wins: take it out";
    }
    return path.of("") + ": " + text.replace("\\\"", "\"");
  }
}
