package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElasticBoundsImmutableRuleTest {

  private static final String ON = "elastic: {enabled: true, minReplicas: 2, maxReplicas: 8}";

  private final RuleTester rule = new RuleTester(new ElasticBoundsImmutableRule());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        ON + " | " + ON + " | ``",
        ON
            + " | elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 5} | ``",
        "`` | elastic: {} | ``",
        "`` | elastic: {enabled: false} | ``",
        ON + " | elastic: {enabled: true, minReplicas: 1, maxReplicas: 8} | minReplicas",
        ON + " | elastic: {enabled: true, minReplicas: 2, maxReplicas: 9} | maxReplicas",
        ON
            + " | elastic: {enabled: true, minReplicas: 3, maxReplicas: 9} | minReplicas maxReplicas",
        ON + " | elastic: {enabled: true, minReplicas: 2} | maxReplicas",
        ON + " | elastic: {enabled: false, minReplicas: 2, maxReplicas: 8} | enabled",
        ON + " | elastic: {enabled: false, minReplicas: 2, maxReplicas: 9} | enabled maxReplicas",
        ON + " | `` | enabled",
        "`` | " + ON + " | enabled",
        "elastic: {enabled: false} | " + ON + " | enabled",
        "elastic: {enabled: false, expectedReplicas: 4} | " + ON + " | enabled",
        ON + " | elastic: {enabled: false, expectedReplicas: 4} | enabled",
        "elastic: {enabled: false, minReplicas: 3} | " + ON + " | enabled minReplicas maxReplicas",
        "elastic: {enabled: false, minReplicas: 2} | elastic: {enabled: false, minReplicas: 3} | minReplicas",
        "`` | elastic: {enabled: false, minReplicas: 3} | minReplicas",
      })
  void theBoundsStayAsTheyWereAtCreation(String before, String after, String fields) {
    List<String> expected =
        fields.isEmpty()
            ? List.of()
            : List.of(fields.split(" ")).stream().map(field -> "spec.elastic." + field).toList();

    assertThat(fields(rule.change(job(before), job(after)))).isEqualTo(expected);
  }

  @Test
  void theMessageSaysFromWhatToWhat() {
    assertThat(rule.change(job(ON), job(ON.replace("8", "9"))))
        .singleElement()
        .extracting(Violation::message)
        .asString()
        .contains("from 8 to 9", "create another job");
    assertThat(rule.change(job(ON), job(ON.replace(", maxReplicas: 8", ""))))
        .singleElement()
        .extracting(Violation::message)
        .asString()
        .contains("from 8 to nothing");
  }

  @Test
  void aCreationChangesNothing() {
    assertThat(rule.creation(job(ON))).isEmpty();
  }
}
