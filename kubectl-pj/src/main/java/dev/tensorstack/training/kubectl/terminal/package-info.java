/** The user's terminal. */
@NullMarked
package dev.tensorstack.training.kubectl.terminal;

import org.jspecify.annotations.NullMarked;
