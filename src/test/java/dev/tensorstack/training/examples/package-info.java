/** Checks of the manifests in {@code examples/}. */
@NullMarked
package dev.tensorstack.training.examples;

import org.jspecify.annotations.NullMarked;
