/** Queues that lend jobs their share of the cluster, one file for each (docs/design/queue.md). */
@NullMarked
package dev.tensorstack.training.core.queue;

import org.jspecify.annotations.NullMarked;
