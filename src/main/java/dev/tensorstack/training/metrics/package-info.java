/**
 * The operator's metrics over HTTPS, for those whose token the API server knows and who may get
 * {@code /metrics} (docs/operations/monitoring.md).
 */
@NullMarked
package dev.tensorstack.training.metrics;

import org.jspecify.annotations.NullMarked;
