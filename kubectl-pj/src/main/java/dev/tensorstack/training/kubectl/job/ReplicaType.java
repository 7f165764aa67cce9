package dev.tensorstack.training.kubectl.job;

import org.jspecify.annotations.Nullable;

/**
 * A type of replicas as the spec declares it.
 *
 * @param name as pods' labels spell it, for example {@code worker}
 * @param replicas the declared number
 * @param restartPolicy the policy; null when the spec leaves it to the default
 */
public record ReplicaType(String name, int replicas, @Nullable String restartPolicy) {}
