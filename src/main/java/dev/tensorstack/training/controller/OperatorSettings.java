package dev.tensorstack.training.controller;

import dev.tensorstack.training.plan.PlanSettings;
import dev.tensorstack.training.policy.AcceleratorResources;
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
