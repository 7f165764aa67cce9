package dev.tensorstack.training.simulation;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The nodes as the API server had them at one moment.
 *
 * @param known those that exist
 * @param lost since when those do not report that do not; the epoch for one that was taken out of
 *     service
 */
record Nodes(Set<String> known, Map<String, Instant> lost) {}
