/** One class for each command, and what they share. */
@NullMarked
package dev.tensorstack.training.kubectl.command;

import org.jspecify.annotations.NullMarked;
