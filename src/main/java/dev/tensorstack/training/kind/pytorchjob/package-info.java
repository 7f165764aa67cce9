/** The kind {@code PyTorchJob} of the Kubeflow Training Operator. */
@NullMarked
package dev.tensorstack.training.kind.pytorchjob;

import org.jspecify.annotations.NullMarked;
