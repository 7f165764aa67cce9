/** What is read out of a job's spec, by admission and by the reconciler alike. Pure. */
@NullMarked
package dev.tensorstack.training.kind.pytorchjob.spec;

import org.jspecify.annotations.NullMarked;
