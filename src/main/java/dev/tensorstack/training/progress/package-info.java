/**
 * What trainings report of their progress: an HTTPS server beside the webhooks', who may report,
 * and the way to the replica that works on jobs (docs/tasks/progress.md).
 */
@NullMarked
package dev.tensorstack.training.progress;

import org.jspecify.annotations.NullMarked;
