/** The kind {@code PyTorchTrainingJob}: how its API reads as the engine's model. */
@NullMarked
package dev.tensorstack.training.kind.trainingjob;

import org.jspecify.annotations.NullMarked;
