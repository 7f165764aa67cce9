/** A stand-in for kubelets: nodes that do not exist, with pods that do what a test says. */
@NullMarked
package dev.tensorstack.training.fakekubelet;

import org.jspecify.annotations.NullMarked;
