package dev.tensorstack.training.webhook;

import dev.tensorstack.training.kind.JobAdmission;
import java.util.Map;

/**
 * The kinds of jobs whose webhooks are served.
 *
 * @param byPath each kind by the last part of its webhooks' paths: {@code /mutate/<part>} and
 *     {@code /validate/<part>}; an empty part stands for {@code /mutate} and {@code /validate}
 */
public record AdmittedKinds(Map<String, JobAdmission<?, ?>> byPath) {

  /** A copy, so that nobody changes it. */
  public AdmittedKinds {
    byPath = Map.copyOf(byPath);
  }
}
