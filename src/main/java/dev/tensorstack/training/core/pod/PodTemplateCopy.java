package dev.tensorstack.training.core.pod;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;

/**
 * Copies templates as they are written. The builders of the model read quantities while they copy,
 * and fail on one that is malformed; it is for the API server to refuse that, with its path.
 */
public final class PodTemplateCopy {

  private static final ObjectMapper JSON = new ObjectMapper();

  private PodTemplateCopy() {}

  /**
   * Copies a template.
   *
   * @param template any template
   * @return a copy that shares nothing with it
   */
  public static PodTemplateSpec of(PodTemplateSpec template) {
    return JSON.convertValue(template, PodTemplateSpec.class);
  }
}
