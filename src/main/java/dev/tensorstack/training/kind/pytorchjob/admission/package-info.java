/** Defaults and rules of a job's spec; used at admission and by the reconciler alike. Pure. */
@NullMarked
package dev.tensorstack.training.kind.pytorchjob.admission;

import org.jspecify.annotations.NullMarked;
