/** A stand-in for what serves metrics to autoscalers: a test says what they are. */
@NullMarked
package dev.tensorstack.training.metricsapi;

import org.jspecify.annotations.NullMarked;
