package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import org.jspecify.annotations.Nullable;

/**
 * What the rules look at.
 *
 * @param name the job's name; null while the API server has not yet made one from generateName
 * @param spec the spec with all defaults
 * @param old the stored spec with all defaults when this is a change, null at creation
 */
public record RuleContext(
    @Nullable String name, PyTorchTrainingJobSpec spec, @Nullable PyTorchTrainingJobSpec old) {}
