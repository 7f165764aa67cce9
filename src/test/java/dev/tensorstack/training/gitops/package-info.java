/** What tools that know nothing of the operator make of its jobs: Argo CD, Flux, kstatus. */
@NullMarked
package dev.tensorstack.training.gitops;

import org.jspecify.annotations.NullMarked;
