package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.util.List;

/**
 * The number of nodes of a job whose size may change while it runs, all types together.
 *
 * @param minReplicas the job runs with at least this many
 * @param maxReplicas the job never has more
 * @param expectedReplicas how many are wanted now
 * @param metrics what an autoscaler of the job looks at; empty for no autoscaler
 */
public record Elasticity(
    int minReplicas, int maxReplicas, int expectedReplicas, List<MetricSpec> metrics) {}
