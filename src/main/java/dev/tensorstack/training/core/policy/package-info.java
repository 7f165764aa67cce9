/** One file for each policy. Pure functions: the clock is an argument. */
@NullMarked
package dev.tensorstack.training.core.policy;

import org.jspecify.annotations.NullMarked;
