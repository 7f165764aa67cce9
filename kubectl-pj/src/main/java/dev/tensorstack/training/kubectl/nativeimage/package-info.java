/** What only the builder of the native image reads. */
@NullMarked
package dev.tensorstack.training.kubectl.nativeimage;

import org.jspecify.annotations.NullMarked;
