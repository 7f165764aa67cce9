package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerRuleTest {

  private final RuleTester rule = new RuleTester(new SchedulerRule());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "scheduler: {}",
        "scheduler: {t9kScheduler: {}}",
        "scheduler: {t9kScheduler: {queue: null, priority: 0}}",
        "scheduler: {t9kScheduler: {priority: 100}}",
        "scheduler: {volcano: {}}",
        "scheduler: {coscheduling: {}}",
        "scheduler: {coscheduling: {schedulerName: mine}}",
        "scheduler: {kubernetes: {}}"
      })
  void whatCanWorkIsAccepted(String more) {
    assertThat(rule.creation(job(more))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "scheduler: {volcano: {}, kubernetes: {}} | spec.scheduler | [\"volcano\", \"kubernetes\"] are all given: keep one of them",
        "scheduler: {t9kScheduler: {priority: 101}} | spec.scheduler.t9kScheduler.priority | outside 0 to 100",
        "scheduler: {t9kScheduler: {priority: -1}} | spec.scheduler.t9kScheduler.priority | outside 0 to 100"
      })
  void whatCannotWorkIsRefusedWithItsFieldAndARemedy(String more, String field, String remedy) {
    List<Violation> violations = rule.creation(job(more));

    assertThat(fields(violations)).containsExactly(field);
    assertThat(violations.get(0).message()).contains(remedy);
  }

  @ParameterizedTest
  @CsvSource({
    "t9kScheduler: {},                        volcano,           1",
    "t9kScheduler: {},                        t9k-scheduler,     0",
    "t9kScheduler: {},                        '',                0",
    "volcano: {},                             volcano,           0",
    "volcano: {},                             default-scheduler, 1",
    "coscheduling: {},                        mine,              0",
    "'coscheduling: {schedulerName: mine}',   mine,              0",
    "'coscheduling: {schedulerName: other}',  mine,              1",
    "kubernetes: {},                          mine,              0",
  })
  void theTemplatesSchedulerDoesNotFightWithTheJobs(String member, String name, int violations) {
    String spec =
        job("scheduler: {" + member + "}")
            .replace("spec: {containers", "spec: {schedulerName: '" + name + "', containers");

    assertThat(fields(rule.creation(spec)))
        .hasSize(violations)
        .allMatch("spec.replicaSpecs[0].template.spec.schedulerName"::equals);
  }

  @Test
  void allMistakesAreReported() {
    assertThat(
            fields(rule.creation(job("scheduler: {t9kScheduler: {priority: 200}, volcano: {}}"))))
        .containsExactly("spec.scheduler.t9kScheduler.priority", "spec.scheduler");
  }
}
