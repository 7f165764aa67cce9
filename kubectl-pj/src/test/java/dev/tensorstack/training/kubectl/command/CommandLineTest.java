package dev.tensorstack.training.kubectl.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandLineTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = PluginCommand.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void versionAndHelpNeedNoCluster() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("kubectl-pj ").doesNotContain("unknown");
    assertThat(run("logs", "--help")).isZero();
    assertThat(out.toString()).contains("--all-ranks");
  }

  @Test
  void aWrongCommandLineIsExitCode2() {
    assertThat(run()).isEqualTo(ExitCodes.USAGE);
    assertThat(run("nonsense")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("logs")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("logs", "mnist", "--rank", "0", "--all-ranks")).isEqualTo(ExitCodes.USAGE);
    assertThat(run("debug", "mnist", "perhaps")).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void aKubeconfigThatIsNotThereIsNamed() {
    assertThat(run("why", "mnist", "--kubeconfig", "/nowhere")).isEqualTo(ExitCodes.FAILURE);
    assertThat(err.toString()).contains("error: --kubeconfig: there is no file /nowhere");
  }

  @Test
  void claimsAndVariables() {
    assertThat(SubmitCommand.claimsByPath(List.of("data", "models:/models")))
        .isEqualTo(Map.of("/mnt/data", "data", "/models", "models"));
    assertThatThrownBy(() -> SubmitCommand.claimsByPath(List.of("data:relative")))
        .hasMessageContaining("--pvc");
    assertThat(SubmitCommand.variables(List.of("A=1", "B=x=y")))
        .isEqualTo(Map.of("A", "1", "B", "x=y"));
    assertThatThrownBy(() -> SubmitCommand.variables(List.of("A"))).hasMessageContaining("--env");
  }
}
