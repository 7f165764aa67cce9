package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.creation;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods and their Services are named after the job. */
class JobNameRuleTest {

  private final JobNameRule rule = new JobNameRule();

  @ParameterizedTest
  @ValueSource(strings = {"mnist", "a", "a-1", "m0"})
  void aDns1035LabelIsAccepted(String name) {
    assertThat(creation(rule, name, job(""))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1mnist", "Mnist", "mnist-", "mnist.v1", "", "a b", "ä", "a\n"})
  void anyOtherNameIsRefused(String name) {
    assertThat(creation(rule, name, job("")))
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).isEqualTo("metadata.name"))
        .satisfies(violation -> assertThat(violation.message()).contains("use lower case letters"));
  }

  @Test
  void aNameThatIsNotYetMadeIsNotJudged() {
    assertThat(creation(rule, null, job(""))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // -worker-3 are 9 more.
        "54 | 4 | `` | ``",
        "55 | 4 | `` | the name of worker-3's pod and Service would have 64 characters, 1 more",
        "54 | 11 | `` | the name of worker-10's pod and Service would have 64 characters, 1 more",
        // Elastic: the largest index is max - 1.
        "54 | 4 | elasticPolicy: {minReplicas: 1, maxReplicas: 10} | ``",
        "54 | 4 | elasticPolicy: {minReplicas: 1, maxReplicas: 11} | the name of worker-10's pod",
        "53 | 4 | elasticPolicy: {minReplicas: 1, maxReplicas: 101} | the name of worker-100's pod",
      })
  void aNameThatIsTooLongSaysWhichAndByHowMany(
      int length, int workers, String more, String expected) {
    List<String> messages =
        creation(rule, "a".repeat(length), jobOf(more, workers(workers))).stream()
            .map(Violation::message)
            .toList();

    assertThat(messages).hasSize(expected.isEmpty() ? 0 : 1);
    assertThat(messages)
        .allSatisfy(
            message -> assertThat(message).contains(expected).endsWith("shorten the job's name"));
  }

  @Test
  void eachTypeIsReported() {
    assertThat(creation(rule, "a".repeat(56), job("")))
        .extracting(Violation::message)
        .hasSize(2)
        .anySatisfy(message -> assertThat(message).contains("master-0"))
        .anySatisfy(message -> assertThat(message).contains("worker-2"));
  }
}
