package dev.tensorstack.training.core.pod;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says where trainings report their progress at this moment; null while nobody listens. */
@FunctionalInterface
public interface ProgressEndpointSource extends Supplier<@Nullable ProgressEndpoint> {

  /** Nobody listens. */
  ProgressEndpointSource NONE = () -> null;
}
