/** The try-out: what it takes to run real training jobs on one machine, without a cluster. */
@NullMarked
package dev.tensorstack.training.tryout;

import org.jspecify.annotations.NullMarked;
