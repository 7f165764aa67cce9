/** The objects that a job owns, as they shall be. Pure builders. */
@NullMarked
package dev.tensorstack.training.core.pod;

import org.jspecify.annotations.NullMarked;
