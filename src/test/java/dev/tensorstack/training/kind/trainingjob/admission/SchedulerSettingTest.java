package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerSettingTest {

  @Test
  void itIsSpecSchedulerOfAJob() {
    assertThat(SchedulerSetting.of(" ")).isNull();
    Scheduler scheduler =
        Objects.requireNonNull(SchedulerSetting.of("{\"volcano\": {\"queue\": \"a\"}}"));
    assertThat(Objects.requireNonNull(scheduler.volcano()).queue()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "volcano",
        "{",
        "{}",
        "[]",
        "null",
        "{\"vulcano\": {}}",
        "{\"volcano\": {\"que\": \"a\"}}",
        "{\"volcano\": {}, \"kubernetes\": {}}",
        "{\"volcano\": {}} x",
        "{\"t9kScheduler\": {\"priority\": 500}}"
      })
  void aSchedulerThatNoJobCouldHaveIsRefused(String scheduler) {
    assertThatThrownBy(() -> SchedulerSetting.of(scheduler))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("operator.defaults.scheduler is '" + scheduler + "'");
  }
}
