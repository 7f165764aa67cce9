/** Configuration, metrics, health and the wiring of the operator. */
@NullMarked
package dev.tensorstack.training.runtime;

import org.jspecify.annotations.NullMarked;
