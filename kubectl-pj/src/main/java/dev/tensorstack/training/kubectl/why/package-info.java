/** What keeps a job from its end, in words. Pure functions: the clock is an argument. */
@NullMarked
package dev.tensorstack.training.kubectl.why;

import org.jspecify.annotations.NullMarked;
