/**
 * Schedulers and queues of others, as they are in real clusters, as ordinary processes beside a
 * {@link dev.tensorstack.training.controlplane.ControlPlane}: Kueue, Volcano, and the coscheduling
 * of scheduler-plugins.
 */
@NullMarked
package dev.tensorstack.training.schedulers;

import org.jspecify.annotations.NullMarked;
