package dev.tensorstack.training.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a process uses, as {@code /proc} tells. Each reading throws an {@link IllegalStateException}
 * when the process has ended: one that is dead uses nothing, and must not pass for a thrifty one.
 */
final class ProcessUsage {

  private static final double TICKS_PER_SECOND = 100;
  private static final double KIB_PER_MIB = 1024;
  private static final int UTIME = 11;

  private final long pid;
  private final Path directory;

  /** The usage of a process by its id. */
  ProcessUsage(long pid) {
    this.pid = pid;
    this.directory = Path.of("/proc", Long.toString(pid));
  }

  /** The usage of a child of this JVM, by a word in its command line. */
  static ProcessUsage ofChild(String program, String argument) {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith(program))
        .filter(child -> child.info().commandLine().orElse(argument).contains(argument))
        .findFirst()
        .map(child -> new ProcessUsage(child.pid()))
        .orElseThrow(() -> new IllegalStateException(program + " is not a child of this process"));
  }

  /** The usage of all children of this JVM that run a program; none when none does. */
  static List<ProcessUsage> ofChildren(String program) {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith(program))
        .map(child -> new ProcessUsage(child.pid()))
        .toList();
  }

  /** CPU seconds of user and system since its start. */
  double cpuSeconds() {
    try {
      String stat = Files.readString(directory.resolve("stat"));
      String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return (Long.parseLong(words[UTIME]) + Long.parseLong(words[UTIME + 1])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      throw unreadable("stat", e);
    }
  }

  /** Resident memory in MiB. */
  double memoryMiB() {
    return status("VmRSS:") / KIB_PER_MIB;
  }

  /** The most resident memory ever, in MiB. */
  double peakMemoryMiB() {
    return status("VmHWM:") / KIB_PER_MIB;
  }

  /** How many threads it has. */
  int threads() {
    return (int) status("Threads:");
  }

  /** How many sockets it has open. */
  int sockets() {
    try (Stream<Path> files = Files.list(directory.resolve("fd"))) {
      return (int) files.filter(ProcessUsage::isSocket).count();
    } catch (IOException | UncheckedIOException e) {
      throw unreadable("fd", e);
    }
  }

  private static boolean isSocket(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().startsWith("socket:");
    } catch (IOException closed) {
      return false;
    }
  }

  private double status(String field) {
    try (Stream<String> lines = Files.lines(directory.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith(field))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")))
          .findFirst()
          // A process that has ended and was not waited for has a status without memory.
          .orElseThrow(() -> unreadable("status, " + field, null));
    } catch (IOException | UncheckedIOException e) {
      throw unreadable("status, " + field, e);
    }
  }

  private IllegalStateException unreadable(String what, @Nullable Exception cause) {
    return new IllegalStateException(
        "process " + pid + " has ended or cannot be read: " + directory + "/" + what, cause);
  }
}
