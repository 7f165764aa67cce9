/** Metrics as a real Prometheus sees them, alerts, and dashboards with their pictures. */
@NullMarked
package dev.tensorstack.training.monitoring;

import org.jspecify.annotations.NullMarked;
