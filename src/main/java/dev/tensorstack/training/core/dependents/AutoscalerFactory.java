package dev.tensorstack.training.core.dependents;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.Autoscaling;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The HorizontalPodAutoscaler of an elastic job (docs/concepts.md, Autoscaling). */
public final class AutoscalerFactory {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<List<Map<String, Object>>> METRICS = new TypeReference<>() {};

  private AutoscalerFactory() {}

  /**
   * What scales a job.
   *
   * @param job the job, without violations
   * @return an autoscaler of the job's {@code scale}, with the job's own bounds and its metrics as
   *     they are written; null when the job has none
   */
  public static @Nullable GenericKubernetesResource autoscaler(TrainingJob job) {
    Autoscaling autoscaling = job.spec().autoscaling();
    if (autoscaling == null) {
      return null;
    }
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put(
        "scaleTargetRef",
        Map.of(
            "apiVersion", job.kind().apiVersion(), "kind", job.kind().kind(), "name", job.name()));
    spec.put("minReplicas", autoscaling.minReplicas());
    spec.put("maxReplicas", autoscaling.maxReplicas());
    spec.put("metrics", JSON.convertValue(autoscaling.metrics(), METRICS));
    return DependentObject.of(job, ObjectKind.AUTOSCALER, job.names().autoscaler(), spec);
  }
}
