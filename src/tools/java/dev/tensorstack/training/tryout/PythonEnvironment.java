package dev.tensorstack.training.tryout;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Finds a Python with PyTorch, or makes one.
 *
 * <p>In this order: the interpreter named by the system property {@value #PROPERTY} or the
 * environment variable {@value #VARIABLE}; {@code python3} on the PATH, if it has all that is
 * needed; a virtual environment made earlier; a new virtual environment in the cache directory of
 * the user. Making one takes one to five minutes, once; it may be interrupted and repeated, and two
 * processes may ask for it at once.
 */
public final class PythonEnvironment {

  /** System property with the path of the interpreter to use. */
  public static final String PROPERTY = "tryout.python";

  /** Environment variable with the path of the interpreter to use. */
  public static final String VARIABLE = "TRYOUT_PYTHON";

  /** PyTorch's own index of builds without GPU libraries: 200 MB instead of 5 GB. */
  static final String CPU_INDEX = "https://download.pytorch.org/whl/cpu";

  private static final List<String> NEEDED_SCRIPTS = List.of("python", "torchrun", "tensorboard");
  private static final List<String> BASE_INTERPRETERS =
      List.of("python3", "/usr/bin/python3", "python");
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);
  private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(40);

  /** A file lock keeps other processes out; this keeps the other threads of this one out. */
  private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock();

  private final CommandRunner runner;
  private final Path cache;
  private final Path requirements;
  private final Map<String, String> settings;
  private final boolean linux;
  private final Consumer<String> progress;

  /**
   * @param runner runs interpreters and pip
   * @param cache the directory for what is made; created when missing
   * @param requirements a requirements file of pip
   * @param settings may hold {@link #PROPERTY} and {@link #VARIABLE}; the first one wins
   * @param linux whether PyTorch's index of CPU builds is worth a try
   * @param progress receives lines for the person who waits
   */
  PythonEnvironment(
      CommandRunner runner,
      Path cache,
      Path requirements,
      Map<String, String> settings,
      boolean linux,
      Consumer<String> progress) {
    this.runner = runner;
    this.cache = cache;
    this.requirements = requirements;
    this.settings = settings;
    this.linux = linux;
    this.progress = progress;
  }

  /**
   * Finds or makes a Python with PyTorch, numpy, scikit-learn and TensorBoard. Returns within
   * seconds when there is one, and within minutes when it has to be made; then at least every 15
   * seconds a line of progress is given.
   *
   * @param projectDirectory the project's directory, where {@code src/tools/python} is
   * @param progress receives lines for the person who waits, without line ends
   * @return a directory with {@code python}, {@code torchrun} and {@code tensorboard}, to be put
   *     first on the PATH; absolute
   * @throws PythonEnvironmentException when there is none and none can be made; its message says
   *     what to install. Also when the calling thread is interrupted (the interrupt flag is kept)
   */
  public static Path ensure(Path projectDirectory, Consumer<String> progress) {
    String property = System.getProperty(PROPERTY, "");
    String variable = System.getenv().getOrDefault(VARIABLE, "");
    return new PythonEnvironment(
            new ProcessCommandRunner(),
            Path.of(System.getProperty("user.home"))
                .resolve(".cache/pytorchtrainingjob-operator/python"),
            projectDirectory.resolve("src/tools/python/requirements.txt"),
            Map.of(PROPERTY, property, VARIABLE, variable),
            System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux"),
            progress)
        .binDirectory();
  }

  /** The instance's part of {@link #ensure}. */
  Path binDirectory() {
    try {
      return findOrMake().toAbsolutePath();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PythonEnvironmentException(
          "Interrupted while preparing Python; start again to go on.", e);
    } catch (IOException e) {
      throw new PythonEnvironmentException(
          advice("The directory " + cache + " cannot be used: " + e), e);
    }
  }

  private Path findOrMake() throws IOException, InterruptedException {
    Optional<String> chosen = chosenInterpreter();
    if (chosen.isPresent()) {
      return withScripts(probeChosen(chosen.get()));
    }
    List<String> looked = new ArrayList<>();
    Optional<PythonProbe> base = Optional.empty();
    for (String interpreter : BASE_INTERPRETERS) {
      Optional<PythonProbe> probe = PythonProbe.of(runner, interpreter);
      looked.add(interpreter + ": " + probe.map(PythonProbe::describe).orElse("not there"));
      if (probe.isPresent() && probe.get().complete()) {
        progress.accept("Python: " + probe.get().describe());
        return withScripts(probe.get());
      }
      if (base.isEmpty()) {
        base = probe.filter(PythonProbe::makesVenvs);
      }
    }
    if (base.isEmpty()) {
      throw new PythonEnvironmentException(
          advice(
              "No Python on this machine has PyTorch, or can make virtual environments"
                  + " (Debian and Ubuntu: apt-get install python3-venv). Looked at:\n  "
                  + String.join("\n  ", looked)));
    }
    return cachedOrNew(base.get());
  }

  /** The interpreter that the user has named; the system property wins. */
  private Optional<String> chosenInterpreter() {
    return List.of(PROPERTY, VARIABLE).stream()
        .map(name -> settings.getOrDefault(name, ""))
        .filter(value -> !value.isBlank())
        .findFirst();
  }

  private PythonProbe probeChosen(String interpreter) throws InterruptedException {
    PythonProbe probe =
        PythonProbe.of(runner, interpreter)
            .orElseThrow(
                () ->
                    new PythonEnvironmentException(
                        advice("'" + interpreter + "' was asked for, but is no Python 3.")));
    if (!probe.complete()) {
      throw new PythonEnvironmentException(
          advice("The Python that was asked for is not complete: " + probe.describe()));
    }
    progress.accept("Python, as asked for: " + probe.describe());
    return probe;
  }

  private Path cachedOrNew(PythonProbe base) throws IOException, InterruptedException {
    Path home = cache.resolve(key(Files.readString(requirements), base.version()));
    Files.createDirectories(home);
    Optional<Path> cached = usable(home);
    if (cached.isPresent()) {
      return cached.get();
    }
    try (Heartbeat waiting =
            new Heartbeat("Another process is preparing Python in " + home + "; waiting for it");
        FileChannel channel =
            FileChannel.open(
                home.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ONE_AT_A_TIME.lockInterruptibly();
      try (FileLock lock = locked(channel, waiting)) {
        waiting.close();
        Optional<Path> madeMeanwhile = usable(home);
        return madeMeanwhile.isPresent() ? madeMeanwhile.get() : make(home, base);
      } finally {
        ONE_AT_A_TIME.unlock();
      }
    }
  }

  private static FileLock locked(FileChannel channel, Heartbeat waiting) throws IOException {
    FileLock lock = channel.tryLock();
    if (lock != null) {
      return lock;
    }
    waiting.now();
    return channel.lock();
  }

  /** The bin directory of an environment that is complete and still works; empty otherwise. */
  private Optional<Path> usable(Path home) throws InterruptedException {
    if (!Files.exists(marker(home))) {
      return Optional.empty();
    }
    Path bin = bin(home);
    Optional<PythonProbe> probe =
        PythonProbe.of(runner, bin.resolve("python").toString()).filter(PythonProbe::complete);
    probe.ifPresent(found -> progress.accept("Python: " + found.describe()));
    return probe.map(found -> bin);
  }

  private Path make(Path home, PythonProbe base) throws IOException, InterruptedException {
    progress.accept(
        "Making a Python environment with PyTorch in "
            + home
            + " (once; one to five minutes, up to 6 GB)");
    Files.deleteIfExists(marker(home));
    Path venv = home.resolve("venv");
    // --clear: what an interrupted run left behind is thrown away; pip keeps its downloads.
    step(
        "Creating the virtual environment",
        List.of(base.executable().toString(), "-m", "venv", "--clear", venv.toString()));
    String python = bin(home).resolve("python").toString();
    installTorchWithoutGpuLibraries(python);
    step(
        "Installing PyTorch, scikit-learn and TensorBoard",
        pip(python, "install", "--progress-bar", "off", "-r", requirements.toString()));
    PythonProbe made =
        PythonProbe.of(runner, python)
            .filter(PythonProbe::complete)
            .orElseThrow(
                () ->
                    new PythonEnvironmentException(
                        advice("The new environment " + venv + " cannot import PyTorch.")));
    // Last of all, and atomic: whoever sees this file sees a complete environment.
    Path unfinished = home.resolve("ready.tmp");
    Files.writeString(unfinished, made.describe() + "\n");
    Files.move(unfinished, marker(home), StandardCopyOption.ATOMIC_MOVE);
    progress.accept("Python: " + made.describe());
    return bin(home);
  }

  /** A try: where the index cannot be reached, the default index's build does as well. */
  private void installTorchWithoutGpuLibraries(String python)
      throws IOException, InterruptedException {
    if (!linux) {
      return;
    }
    CommandRunner.Result reachable =
        runner.run(
            pip(
                python,
                "index",
                "versions",
                "torch",
                "--index-url",
                CPU_INDEX,
                "--timeout",
                "10",
                "--retries",
                "0"),
            Duration.ofSeconds(40));
    if (!reachable.succeeded()) {
      progress.accept(
          "PyTorch's index of CPU builds cannot be reached; taking the larger default build");
      return;
    }
    try (Heartbeat installing = new Heartbeat("Installing PyTorch (CPU build)")) {
      installing.now();
      CommandRunner.Result installed =
          runner.run(
              pip(
                  python,
                  "install",
                  "--progress-bar",
                  "off",
                  "--index-url",
                  CPU_INDEX,
                  torchRequirement(Files.readString(requirements))),
              INSTALL_TIMEOUT);
      if (!installed.succeeded()) {
        progress.accept("The CPU build cannot be installed; taking the larger default build");
      }
    }
  }

  private static List<String> pip(String python, String... arguments) {
    List<String> command =
        new ArrayList<>(List.of(python, "-m", "pip", "--disable-pip-version-check"));
    command.addAll(List.of(arguments));
    return command;
  }

  private void step(String what, List<String> command) throws IOException, InterruptedException {
    try (Heartbeat heartbeat = new Heartbeat(what)) {
      heartbeat.now();
      CommandRunner.Result result = runner.run(command, INSTALL_TIMEOUT);
      if (!result.succeeded()) {
        throw new PythonEnvironmentException(
            advice(
                what
                    + " failed with exit code "
                    + result.exitCode()
                    + ":\n  "
                    + String.join(" ", command)
                    + "\n"
                    + result.tail(12).indent(2).stripTrailing()));
      }
    }
  }

  /**
   * The directory of the interpreter, when the scripts are there; otherwise a directory with
   * scripts of the same names that call the interpreter's modules.
   */
  private Path withScripts(PythonProbe python) throws IOException {
    Path beside = python.executable().toAbsolutePath().getParent();
    if (beside != null
        && NEEDED_SCRIPTS.stream().allMatch(name -> Files.isExecutable(beside.resolve(name)))) {
      return beside;
    }
    Path scripts = cache.resolve("scripts-" + digest(python.executable().toString()));
    Files.createDirectories(scripts);
    script(scripts.resolve("python"), python, "");
    script(scripts.resolve("python3"), python, "");
    script(scripts.resolve("torchrun"), python, "-m torch.distributed.run ");
    script(scripts.resolve("tensorboard"), python, "-m tensorboard.main ");
    return scripts;
  }

  private static void script(Path file, PythonProbe python, String module) throws IOException {
    String quoted = "'" + python.executable().toString().replace("'", "'\\''") + "'";
    Path parent = file.toAbsolutePath().getParent();
    Path unfinished = Files.createTempFile(parent, "script", ".tmp");
    Files.writeString(unfinished, "#!/bin/sh\nexec " + quoted + " " + module + "\"$@\"\n");
    Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.move(
        unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private String advice(String problem) {
    return problem
        + "\nTo prepare a Python yourself:\n"
        + "  python3 -m venv DIRECTORY\n"
        + "  DIRECTORY/bin/python -m pip install -r "
        + requirements
        + "\n(PyTorch without GPU libraries: first `DIRECTORY/bin/python -m pip install torch"
        + " --index-url "
        + CPU_INDEX
        + "`), then set\n  "
        + VARIABLE
        + "=DIRECTORY/bin/python   (or -D"
        + PROPERTY
        + "=…)";
  }

  private static Path bin(Path home) {
    return home.resolve("venv").resolve("bin");
  }

  private static Path marker(Path home) {
    return home.resolve("ready");
  }

  /**
   * Names an environment after what it is made from, so that a changed requirement makes another.
   *
   * @param requirements the text of the requirements file; comments and blank lines do not count
   * @param pythonVersion major and minor version
   * @return 12 hexadecimal digits
   */
  static String key(String requirements, String pythonVersion) {
    StringBuilder text = new StringBuilder();
    lines(requirements).forEach(line -> text.append(line).append('\n'));
    return digest(text + pythonVersion);
  }

  /** The requirement for PyTorch itself, such as {@code torch>=2.4,<3}. */
  static String torchRequirement(String requirements) {
    return lines(requirements).stream()
        .filter(line -> line.matches("torch\\b.*"))
        .findFirst()
        .orElse("torch");
  }

  private static List<String> lines(String requirements) {
    return requirements
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Repeats a line of progress with the seconds so far, until closed. */
  private final class Heartbeat implements AutoCloseable {
    private final String what;
    private final long start = System.nanoTime();
    private final ScheduledExecutorService timer;

    Heartbeat(String what) {
      this.what = what;
      this.timer =
          Executors.newSingleThreadScheduledExecutor(
              task -> {
                Thread thread = new Thread(task, "python-environment-progress");
                thread.setDaemon(true);
                return thread;
              });
      long period = HEARTBEAT.toMillis();
      var unused =
          timer.scheduleAtFixedRate(
              () -> progress.accept(what + " (" + seconds() + " s)"),
              period,
              period,
              TimeUnit.MILLISECONDS);
    }

    private long seconds() {
      return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    }

    /** Says it once, now. */
    void now() {
      progress.accept(what);
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }
  }
}
