/** What a release promises: of libraries, workflows, images and versions. */
@NullMarked
package dev.tensorstack.training.release;

import org.jspecify.annotations.NullMarked;
