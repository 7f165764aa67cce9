/** The objects beside the pods that a job owns, as they shall be. Pure builders. */
@NullMarked
package dev.tensorstack.training.core.dependents;

import org.jspecify.annotations.NullMarked;
