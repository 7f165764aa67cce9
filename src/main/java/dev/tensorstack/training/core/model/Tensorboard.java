package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A TensorBoard that serves a job's logs.
 *
 * @param image the image that holds TensorBoard; null for the operator's default
 * @param logs where the logs are, none twice
 * @param resources what its container needs, or null
 * @param suspend whether it has no pod for now
 */
public record Tensorboard(
    @Nullable String image,
    List<LogSource> logs,
    @Nullable ResourceRequirements resources,
    boolean suspend) {}
