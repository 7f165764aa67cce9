package dev.tensorstack.training.benchmark;

import java.time.Duration;
import java.util.Map;

/**
 * What one round of creating all pods took.
 *
 * @param firstPod from the begin to the answer of the first pod's creation
 * @param allPods from the begin to the answer of the last pod's creation
 * @param longestPause the longest time between two answers to pod creations
 * @param clientCpu the CPU time of the client: of the operator until it was quiet, or of this JVM
 * @param reconciliations how often the operator looked at its jobs; 0 for the bare client
 * @param requests the client's requests that were answered, by verb and resource
 * @param failed how many of them failed
 * @param loadAverage the machine's load average (one minute) before the round
 */
record Round(
    Duration firstPod,
    Duration allPods,
    Duration longestPause,
    Duration clientCpu,
    int reconciliations,
    Map<String, Integer> requests,
    int failed,
    double loadAverage) {}
