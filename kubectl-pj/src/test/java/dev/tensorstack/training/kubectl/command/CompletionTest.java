package dev.tensorstack.training.kubectl.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompletionTest {

  private static Completion complete(String... words) {
    return Completion.of(PluginCommand.commandLine(), List.of(words));
  }

  private static List<String> plain(Completion completion) {
    return completion.words().stream().map(word -> word.split("\t")[0]).toList();
  }

  @Test
  void commandsByTheirBeginning() {
    assertThat(plain(complete("s"))).containsExactlyInAnyOrder("submit", "scale");
    assertThat(plain(complete(""))).contains("logs", "why").doesNotContain("__complete");
    assertThat(complete("lo").words().get(0)).startsWith("logs\tPrint the logs");
  }

  @Test
  void jobsWhereAJobStands() {
    assertThat(complete("logs", "mn").wantsJob()).isTrue();
    assertThat(complete("logs", "-n", "team-a", "").wantsJob()).isTrue();
    assertThat(complete("logs", "-f", "").wantsJob()).isTrue();
    assertThat(complete("logs", "mnist", "").wantsJob()).isFalse();
    assertThat(complete("submit", "").wantsFile()).isTrue();
    assertThat(complete("exec", "mnist", "--", "l").wantsFile()).isTrue();
  }

  @Test
  void optionsAndTheirValues() {
    assertThat(plain(complete("logs", "--a"))).contains("--all-ranks", "--attempt", "--as");
    assertThat(plain(complete("logs", "mnist", "--color", "a"))).containsExactly("always", "auto");
    assertThat(plain(complete("debug", "mnist", "o"))).containsExactly("on", "off");
    assertThat(complete("logs", "--attempt", "").wantsJob()).isFalse();
  }
}
