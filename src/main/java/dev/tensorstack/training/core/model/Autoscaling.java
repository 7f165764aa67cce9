package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.util.List;

/**
 * What a HorizontalPodAutoscaler does with a job: it changes the number that the subresource {@code
 * scale} has.
 *
 * @param minReplicas the least number
 * @param maxReplicas the greatest number
 * @param metrics what it looks at, as the user wrote them; not empty
 */
public record Autoscaling(int minReplicas, int maxReplicas, List<MetricSpec> metrics) {}
