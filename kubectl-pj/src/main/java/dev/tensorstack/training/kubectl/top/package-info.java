/** Tables of jobs and ranks. */
@NullMarked
package dev.tensorstack.training.kubectl.top;

import org.jspecify.annotations.NullMarked;
