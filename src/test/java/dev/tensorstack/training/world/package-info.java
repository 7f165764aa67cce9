/** Small builders with which tests of the pure core describe a job's world. */
@NullMarked
package dev.tensorstack.training.world;

import org.jspecify.annotations.NullMarked;
