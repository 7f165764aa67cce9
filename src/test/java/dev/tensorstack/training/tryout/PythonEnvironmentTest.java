package dev.tensorstack.training.tryout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonEnvironmentTest {

  private static final String REQUIREMENTS = "# why\n\ntorch>=2.4,<3\nnumpy>=1.26\n";

  private Path directory;
  private Path cache;
  private Path requirements;
  private final FakeMachine machine = new FakeMachine();
  private final List<String> progress = new CopyOnWriteArrayList<>();

  @BeforeEach
  void requirements(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cache = directory.resolve("cache");
    requirements = Files.writeString(directory.resolve("requirements.txt"), REQUIREMENTS);
  }

  @Test
  void anInterpreterOnThePathThatHasAllIsUsedAsItIs() throws IOException {
    Path bin = directoryWith("python", "torchrun", "tensorboard");
    machine.python("python3", bin.resolve("python"), "");

    assertThat(environment(Map.of()).binDirectory()).isEqualTo(bin);
    assertThat(machine.commands).hasSize(1);
    assertThat(progress).anyMatch(line -> line.contains("PyTorch 2.9.1"));
  }

  @Test
  void scriptsThatAreMissingBesideTheInterpreterAreProvided() throws Exception {
    Path bin = directoryWith("it's python");
    machine.python("python3", bin.resolve("it's python"), "");
    Files.writeString(
        bin.resolve("it's python"), "#!/bin/sh\nfor a in \"$@\"; do echo \"<$a>\"; done\n");

    Path scripts = environment(Map.of()).binDirectory();

    assertThat(scripts.getParent()).isEqualTo(cache);
    CommandRunner.Result result =
        new ProcessCommandRunner()
            .run(
                List.of(scripts.resolve("torchrun").toString(), "--nnodes=1", "a b"),
                Duration.ofSeconds(20));
    assertThat(result.output().lines())
        .containsExactly("<-m>", "<torch.distributed.run>", "<--nnodes=1>", "<a b>");
    assertThat(scripts.resolve("python")).isExecutable();
    assertThat(scripts.resolve("tensorboard")).isExecutable();
  }

  @Test
  void theInterpreterAskedForWins() throws IOException {
    Path bin = directoryWith("python", "torchrun", "tensorboard");
    machine.python("/mine/python", bin.resolve("python"), "");
    machine.python("python3", Path.of("/usr/bin/python3"), "");

    Map<String, String> both =
        Map.of(
            PythonEnvironment.PROPERTY, "/mine/python",
            PythonEnvironment.VARIABLE, "/other/python");
    assertThat(environment(both).binDirectory()).isEqualTo(bin);
  }

  @Test
  void anInterpreterAskedForThatLacksModulesIsAnErrorAndNothingElseIsTried() {
    machine.python("/mine/python", Path.of("/mine/python"), "sklearn,torch");
    machine.python("python3", Path.of("/usr/bin/python3"), "");

    assertThatThrownBy(
            () -> environment(Map.of(PythonEnvironment.VARIABLE, "/mine/python")).binDirectory())
        .isInstanceOf(PythonEnvironmentException.class)
        .hasMessageContaining("/mine/python (Python 3.11, without sklearn, torch)")
        .hasMessageContaining("pip install -r " + requirements);
    assertThat(machine.commands).hasSize(1);
  }

  @Test
  void anEnvironmentIsMadeOnceAndFoundAgain() throws IOException {
    machine.python("python3", Path.of("/usr/bin/python3"), "torch");
    machine.madeEnvironmentsWork();

    Path first = environment(Map.of()).binDirectory();

    assertThat(first).isEqualTo(home().resolve("venv/bin"));
    assertThat(home().resolve("ready")).exists();
    assertThat(machine.steps()).containsExactly("venv", "pip index", "pip cpu", "pip all");

    machine.commands.clear();
    assertThat(environment(Map.of()).binDirectory()).isEqualTo(first);
    assertThat(machine.steps()).isEmpty();
  }

  @Test
  void theDefaultIndexIsTakenWhenTheCpuIndexCannotBeReached() {
    machine.python("python3", Path.of("/usr/bin/python3"), "torch");
    machine.madeEnvironmentsWork();
    machine.fails("pip index", "no route to host");

    environment(Map.of()).binDirectory();

    assertThat(machine.steps()).containsExactly("venv", "pip index", "pip all");
    assertThat(progress).anyMatch(line -> line.contains("larger default build"));
  }

  @Test
  void anInterruptedInstallationIsDoneAgain() throws IOException {
    machine.python("python3", Path.of("/usr/bin/python3"), "torch");
    machine.madeEnvironmentsWork();
    machine.fails("pip all", "Read timed out.");

    assertThatThrownBy(() -> environment(Map.of()).binDirectory())
        .isInstanceOf(PythonEnvironmentException.class)
        .hasMessageContaining("Read timed out.")
        .hasMessageContaining(PythonEnvironment.VARIABLE);
    assertThat(home().resolve("ready")).doesNotExist();

    machine.failures.clear();
    machine.commands.clear();
    assertThat(environment(Map.of()).binDirectory()).isEqualTo(home().resolve("venv/bin"));
    assertThat(machine.steps()).startsWith("venv");
    assertThat(machine.commands).anyMatch(command -> command.contains("--clear"));
  }

  @Test
  void anEnvironmentThatNoLongerWorksIsMadeAgain() throws IOException {
    machine.python("python3", Path.of("/usr/bin/python3"), "torch");
    Files.createDirectories(home());
    Files.writeString(home().resolve("ready"), "");
    machine.venvWorksAfterInstall = true;

    environment(Map.of()).binDirectory();

    assertThat(machine.steps()).contains("venv", "pip all");
  }

  @Test
  void noPythonAtAllSaysWhatToInstall() {
    assertThatThrownBy(() -> environment(Map.of()).binDirectory())
        .isInstanceOf(PythonEnvironmentException.class)
        .hasMessageContaining("apt-get install python3-venv")
        .hasMessageContaining("python3: not there")
        .hasMessageContaining("-Dtryout.python=");
  }

  @Test
  void theSecondProcessWaitsAndSaysSo() throws Exception {
    machine.python("python3", Path.of("/usr/bin/python3"), "torch");
    machine.madeEnvironmentsWork();
    Files.createDirectories(home());
    CompletableFuture<Path> waiting;
    // A lock of this same JVM shows as an exception, not as waiting: hold it in another process.
    Process holder = lockHolder(home().resolve("lock"));
    try {
      assertThat(holder.getInputStream().read()).isEqualTo('l');
      waiting = CompletableFuture.supplyAsync(() -> environment(Map.of()).binDirectory());
      org.awaitility.Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> progress.stream().anyMatch(line -> line.contains("Another process")));
      assertThat(machine.steps()).isEmpty();
    } finally {
      holder.destroy();
    }
    assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(home().resolve("venv/bin"));
  }

  @Test
  void theKeyIgnoresCommentsAndChangesWithRequirementsAndPython() {
    String key = PythonEnvironment.key(REQUIREMENTS, "3.11");
    assertThat(key).matches("[0-9a-f]{12}");
    assertThat(PythonEnvironment.key("torch>=2.4,<3\n  numpy>=1.26", "3.11")).isEqualTo(key);
    assertThat(PythonEnvironment.key(REQUIREMENTS, "3.12")).isNotEqualTo(key);
    assertThat(PythonEnvironment.key(REQUIREMENTS + "six\n", "3.11")).isNotEqualTo(key);
  }

  @Test
  void theRequirementOfTorchIsNotMixedUpWithItsRelatives() {
    assertThat(PythonEnvironment.torchRequirement("torchvision\ntorch>=2.4\n"))
        .isEqualTo("torch>=2.4");
    assertThat(PythonEnvironment.torchRequirement("numpy\n")).isEqualTo("torch");
  }

  @Test
  void anAnswerAmongWarningsIsUnderstood() {
    assertThat(PythonProbe.parse("UserWarning: x=1\n" + answer(Path.of("/p"), "a,b")))
        .hasValueSatisfying(
            probe -> {
              assertThat(probe.executable()).isEqualTo(Path.of("/p"));
              assertThat(probe.missing()).containsExactly("a", "b");
              assertThat(probe.makesVenvs()).isTrue();
            });
    assertThat(PythonProbe.parse("Segmentation fault")).isEmpty();
  }

  @Test
  void aCommandThatTakesTooLongIsEnded() throws Exception {
    CommandRunner.Result result =
        new ProcessCommandRunner()
            .run(List.of("sh", "-c", "echo begun; sleep 60"), Duration.ofSeconds(3));
    assertThat(result.exitCode()).isEqualTo(-1);
    assertThat(result.output()).contains("begun");
  }

  private PythonEnvironment environment(Map<String, String> settings) {
    return new PythonEnvironment(machine, cache, requirements, settings, true, progress::add);
  }

  private Path home() {
    return cache.resolve(PythonEnvironment.key(REQUIREMENTS, "3.11"));
  }

  private Path directoryWith(String... names) throws IOException {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    for (String name : names) {
      assertThat(Files.createFile(bin.resolve(name)).toFile().setExecutable(true)).isTrue();
    }
    return bin;
  }

  private static Process lockHolder(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            LockHolder.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** A program that takes the lock, prints {@code l}, and holds it until it is ended. */
  static final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws IOException {
      try (FileChannel channel =
              FileChannel.open(
                  Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        System.out.println(lock.isValid() ? "l" : "-");
        int ended = System.in.read();
        System.out.println(ended);
      }
    }
  }

  private static String answer(Path executable, String missing) {
    return String.join(
        "\n",
        "probe.executable=" + executable,
        "probe.version=3.11",
        "probe.missing=" + missing,
        "probe.torch=" + (missing.isEmpty() ? "2.9.1" : ""),
        "probe.venv=True",
        "");
  }

  /** A machine with the interpreters it is told about; pip does nothing. */
  private static final class FakeMachine implements CommandRunner {
    final List<List<String>> commands = new CopyOnWriteArrayList<>();
    final Map<String, String> failures = new HashMap<>();
    private final Map<String, String> answers = new HashMap<>();
    private boolean venvsWork;
    boolean venvWorksAfterInstall;

    void python(String name, Path executable, String missing) {
      answers.put(name, answer(executable, missing));
    }

    void madeEnvironmentsWork() {
      venvsWork = true;
    }

    void fails(String step, String output) {
      failures.put(step, output);
    }

    /** What was run, without the questions to interpreters. */
    List<String> steps() {
      List<String> steps = new ArrayList<>();
      commands.forEach(
          command -> {
            String step = step(command);
            if (!step.equals("probe")) {
              steps.add(step);
            }
          });
      return steps;
    }

    private static String step(List<String> command) {
      if (command.contains("-c")) {
        return "probe";
      }
      if (command.contains("venv")) {
        return "venv";
      }
      if (command.contains("index")) {
        return "pip index";
      }
      return command.contains("-r") ? "pip all" : "pip cpu";
    }

    @Override
    public Result run(List<String> command, Duration timeout) throws IOException {
      commands.add(command);
      String step = step(command);
      String failure = failures.get(step);
      if (failure != null) {
        return new Result(1, failure);
      }
      if (!step.equals("probe")) {
        venvsWork |= venvWorksAfterInstall && step.equals("pip all");
        return new Result(0, "");
      }
      String interpreter = command.get(0);
      if (interpreter.endsWith("venv/bin/python")) {
        return new Result(0, answer(Path.of(interpreter), venvsWork ? "" : "torch"));
      }
      String answer = answers.get(interpreter);
      if (answer == null) {
        throw new IOException("no such file: " + interpreter);
      }
      return new Result(0, answer);
    }
  }
}
