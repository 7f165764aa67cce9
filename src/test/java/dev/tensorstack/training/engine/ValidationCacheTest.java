package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValidationCacheTest {

  private final ValidationCache spec = new ValidationCache();

  @Test
  void theRulesAreAskedOncePerGeneration() {
    Violation violation =
        new Violation("rule", "field", Violation.Reason.FieldValueInvalid, "wrong");
    assertThat(spec.violations(1, () -> List.of(violation))).containsExactly(violation);
    assertThat(spec.violations(1, List::of)).containsExactly(violation);
    assertThat(spec.violations(2, List::of)).isEmpty();
  }
}
