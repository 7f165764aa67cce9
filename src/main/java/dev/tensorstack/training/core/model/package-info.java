/** A job as the engine sees it, whatever its kind, free of the types of the job's own API. */
@NullMarked
package dev.tensorstack.training.core.model;

import org.jspecify.annotations.NullMarked;
