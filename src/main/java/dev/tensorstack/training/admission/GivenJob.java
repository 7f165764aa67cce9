package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;

/**
 * What warnings look at: a job as the user gave it, and what became of it.
 *
 * @param given the spec as the user wrote it, before any default; an empty one when there is none
 * @param subject the same job with all defaults, and the stored one when this is a change
 */
public record GivenJob(PyTorchTrainingJobSpec given, Subject subject) {}
