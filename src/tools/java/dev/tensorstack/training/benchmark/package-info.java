/** Measurements of the packaged operator against a real API server. */
@NullMarked
package dev.tensorstack.training.benchmark;

import org.jspecify.annotations.NullMarked;
