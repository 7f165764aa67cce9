/** The edge: observes, executes and reports through the Kubernetes API. */
@NullMarked
package dev.tensorstack.training.engine;

import org.jspecify.annotations.NullMarked;
