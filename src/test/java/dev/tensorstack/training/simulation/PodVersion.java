package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;

/**
 * A pod as the API server had it at one moment.
 *
 * @param version the resourceVersion
 * @param pod what can be seen; null when the pod is no more
 * @param truth what really happened
 */
record PodVersion(long version, String name, ObservedPod pod, Truth truth) {}
