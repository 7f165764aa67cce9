/**
 * Queues that lend jobs their share of the cluster: one class for each, and beside it what it reads
 * and writes (docs/design/queue.md).
 */
@NullMarked
package dev.tensorstack.training.core.queue;

import org.jspecify.annotations.NullMarked;
