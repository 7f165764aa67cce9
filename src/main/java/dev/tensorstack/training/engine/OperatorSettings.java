package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import java.time.Duration;

/**
 * What an administrator can set (docs/reference/configuration.md).
 *
 * @param podWriteParallelism pod creations and deletions in flight, the whole operator
 * @param statusMinInterval the shortest time between two status writes of one job
 * @param accelerators what counts as an accelerator
 * @param plan what concerns the decisions
 * @param webhooks whether the API server calls this operator's webhooks, as far as the settings say
 */
public record OperatorSettings(
    int podWriteParallelism,
    Duration statusMinInterval,
    AcceleratorResources accelerators,
    PlanSettings plan,
    boolean webhooks) {}
