package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;

/**
 * How torchrun is started in the training container.
 *
 * @param processesPerNode a positive number, {@code auto}, {@code cpu} or {@code gpu}
 * @param backend the rendezvous backend
 * @param maxRestarts torchrun's own {@code --max_restarts}
 * @param extraOptions more options, after those that the operator sets
 */
public record Torchrun(
    IntOrString processesPerNode,
    RendezvousBackend backend,
    int maxRestarts,
    List<String> extraOptions) {}
