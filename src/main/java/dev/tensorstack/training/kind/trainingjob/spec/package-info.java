/**
 * What the spec of a {@code PyTorchTrainingJob} says in several ways, and the names that follow
 * from a job.
 */
@NullMarked
package dev.tensorstack.training.kind.trainingjob.spec;

import org.jspecify.annotations.NullMarked;
