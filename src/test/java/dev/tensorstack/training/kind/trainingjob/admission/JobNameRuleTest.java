package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels hold what the job is named after. */
class JobNameRuleTest {

  private final RuleTester rule = new RuleTester(new JobNameRule());

  @ParameterizedTest
  @ValueSource(strings = {"mnist", "a", "a-1", "m0"})
  void aDns1035LabelIsAccepted(String name) {
    assertThat(rule.creation(name, job(""))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1mnist", "Mnist", "mnist-", "-mnist", "mnist.v1", "", "a b", "ä", "a\n"})
  void anyOtherNameIsRefused(String name) {
    assertThat(rule.creation(name, job("")))
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).isEqualTo("metadata.name"))
        .satisfies(violation -> assertThat(violation.message()).contains("use lower case letters"));
  }

  @Test
  void aNameThatIsNotYetMadeIsNotJudged() {
    assertThat(rule.creation(null, job(""))).isEmpty();
  }

  /** The base is the job's name and six more characters. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // -worker-3 are 9 more.
        "48 | `` | ``",
        "49 | `` | the host name of worker-3 would have 64 characters, 1 more",
        // The Service alone.
        "58 | `` | the Service would have 64 characters, 1 more;worker-3 would have 73",
        // -tensorboard are 12 more.
        "45 | tensorboardSpec: {} | ``",
        "46 | tensorboardSpec: {} | TensorBoard would have 64 characters, 1 more",
        // Elastic: the largest index is max - 1.
        "48 | elastic: {enabled: true, minReplicas: 1, maxReplicas: 10} | ``",
        "48 | elastic: {enabled: true, minReplicas: 1, maxReplicas: 11} | worker-10 would have 64",
        "46 | elastic: {enabled: true, minReplicas: 1, maxReplicas: 1001} | worker-1000 would have",
        "48 | elastic: {enabled: false, maxReplicas: 1001} | ``",
        "48 | elastic: {enabled: true, maxReplicas: -5} | ``",
        "49 | elastic: {enabled: true} | worker-3 would have 64",
      })
  void aNameThatIsTooLongSaysWhichAndByHowMany(int length, String more, String expected) {
    List<String> messages =
        rule.creation("a".repeat(length), job(more)).stream().map(Violation::message).toList();

    List<String> parts = expected.isEmpty() ? List.of() : List.of(expected.split(";"));
    assertThat(messages).hasSameSizeAs(parts);
    for (int i = 0; i < parts.size(); i++) {
      assertThat(messages.get(i)).contains(parts.get(i)).contains("shorten");
    }
  }

  @Test
  void aTypeThatDoesNotScaleKeepsItsLargestIndex() {
    String elastic =
        "{replicaSpecs: [{type: worker}, {type: server, replicas: 3, scalingWeight: 0}],"
            + " elastic: {enabled: true, minReplicas: 4, maxReplicas: 20}}";

    // server-2, not server-19: 48 + 6 + 9 = 63; worker-19 has one more.
    assertThat(rule.creation("a".repeat(48), elastic))
        .extracting(Violation::message)
        .singleElement()
        .asString()
        .contains("worker-19");
  }

  @Test
  void eachTypeIsReported() {
    String types = "{replicaSpecs: [{type: a}, {type: b, replicas: 0}, {type: c, replicas: 11}]}";

    assertThat(rule.creation("a".repeat(54), types))
        .extracting(Violation::message)
        .hasSize(3)
        .anySatisfy(
            message -> assertThat(message).contains("c-10 would have 65 characters, 2 more"));
  }
}
