/** {@code kubectl pj}: see and steer PyTorchTrainingJobs and PyTorchJobs. */
@NullMarked
package dev.tensorstack.training.kubectl;

import org.jspecify.annotations.NullMarked;
