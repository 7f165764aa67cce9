/** The packaged operator as a process, and the tests that watch it work on a real API server. */
@NullMarked
package dev.tensorstack.training.operator;

import org.jspecify.annotations.NullMarked;
