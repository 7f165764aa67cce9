/**
 * A third kind of job, made up for the tests: other names, other labels, another status. That it
 * runs through the engine shows that the engine knows kinds only through {@link
 * dev.tensorstack.training.kind.JobKind}.
 */
@NullMarked
package dev.tensorstack.training.kind.toy;

import org.jspecify.annotations.NullMarked;
