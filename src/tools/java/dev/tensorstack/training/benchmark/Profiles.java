package dev.tensorstack.training.benchmark;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * CPU profiles of those who work in scenario A, on request ({@code -Dprofile}): one of the API
 * server, for {@code go tool pprof}, and a flight recording of each operator that runs as a jar,
 * for {@code jfr} and JDK Mission Control. Who is profiled is slower.
 */
final class Profiles {

  private static final String API_SERVER = "kube-apiserver.pprof";
  private static final AtomicInteger RECORDINGS = new AtomicInteger();
  private static final int SECONDS = 20;
  private static final int ROWS = 30;
  private static final long TOOL_LIMIT_SECONDS = 60;

  private final Path directory;
  private final PrintStream out;

  /**
   * Profiles into a directory, which is created.
   *
   * @param out where the functions that take most are printed
   */
  Profiles(Path directory, PrintStream out) throws IOException {
    this.directory = Files.createDirectories(directory).toAbsolutePath();
    this.out = out;
  }

  /** Whether they are asked for. */
  static boolean wanted() {
    return Boolean.getBoolean("profile");
  }

  /** Where results and profiles go. */
  static Path directory() {
    String directory = System.getProperty("directory", "");
    return Path.of(directory.isEmpty() ? "target/benchmark" : directory);
  }

  /** Options with which a JVM records itself, if profiles are asked for; else none. */
  static String recording() {
    return wanted()
        ? " -XX:StartFlightRecording:settings=profile,dumponexit=true,filename="
            + directory()
                .toAbsolutePath()
                .resolve("operator-" + RECORDINGS.incrementAndGet() + ".jfr")
        : "";
  }

  /** Takes a profile of the API server for the next twenty seconds, while others go on. */
  void ofApiServer(Api api) {
    var unused =
        CompletableFuture.runAsync(
            () -> {
              try {
                api.download(
                    "/debug/pprof/profile?seconds=" + SECONDS, directory.resolve(API_SERVER));
              } catch (IOException problem) {
                out.println("no profile of the API server: " + problem);
              }
            });
  }

  /** Prints the functions that take most, as far as there are profiles and tools for them. */
  void print() throws IOException, InterruptedException {
    if (Files.exists(directory.resolve(API_SERVER)) && onPath("go")) {
      printPprof();
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".jfr")).toList()) {
        printRecording(file);
      }
    }
  }

  private void printPprof() throws IOException, InterruptedException {
    Path top = directory.resolve("kube-apiserver-top.txt");
    Process pprof =
        new ProcessBuilder("go", "tool", "pprof", "-top", "-cum", "-nodecount=120", API_SERVER)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(top.toFile())
            .start();
    if (!pprof.waitFor(TOOL_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      pprof.destroyForcibly();
      return;
    }
    out.println("\nkube-apiserver, more in " + top + ":");
    Files.readAllLines(top).stream().limit(ROWS).forEach(out::println);
  }

  private void printRecording(Path file) throws IOException {
    Map<String, Integer> samples = new HashMap<>();
    int all = 0;
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && event.getStackTrace() != null) {
          RecordedFrame top = event.getStackTrace().getFrames().get(0);
          samples.merge(
              top.getMethod().getType().getName() + "." + top.getMethod().getName(),
              1,
              Integer::sum);
          all++;
        }
      }
    }
    int total = Math.max(1, all);
    out.println("\n" + file + ", " + all + " samples:");
    samples.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(ROWS)
        .forEach(one -> out.printf("%5.1f %%  %s%n", 100.0 * one.getValue() / total, one.getKey()));
  }

  private static boolean onPath(String program) {
    List<String> directories = List.of(System.getenv("PATH").split(File.pathSeparator, -1));
    return directories.stream().anyMatch(one -> Files.isExecutable(Path.of(one, program)));
  }
}
