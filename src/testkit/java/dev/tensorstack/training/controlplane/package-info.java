/**
 * A real Kubernetes control plane (etcd, API server, controller manager, scheduler) as ordinary
 * processes on loopback: no Docker, no root. For tests, and for trying the operator out.
 */
@NullMarked
package dev.tensorstack.training.controlplane;

import org.jspecify.annotations.NullMarked;
