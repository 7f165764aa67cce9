/** The objects that a job owns, as they shall be. Pure builders. */
@NullMarked
package dev.tensorstack.training.resource;

import org.jspecify.annotations.NullMarked;
