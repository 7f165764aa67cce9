/** A job as the engine sees it, whatever its kind: complete, and free of any API's types. */
@NullMarked
package dev.tensorstack.training.core.model;

import org.jspecify.annotations.NullMarked;
