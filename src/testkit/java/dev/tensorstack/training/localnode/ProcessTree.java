package dev.tensorstack.training.localnode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Finds the processes of a container by a mark in their environment.
 *
 * <p>What a cgroup is for a container runtime: children that leave the process group or the session
 * (as the workers of torchrun do), or outlive their parent, are found all the same.
 */
final class ProcessTree {
  /** The variable that carries the mark. */
  static final String VARIABLE = "LOCAL_NODE_CONTAINER";

  private static final Path PROC = Path.of("/proc");
  private static final int ROUNDS = 100;

  private ProcessTree() {}

  /**
   * Finds processes by their mark.
   *
   * @param mark the mark, or the beginning of several marks, such as the uid of a pod
   * @return the process ids, in ascending order; processes of other users are never among them
   */
  static Set<Long> marked(String mark) {
    String wanted = VARIABLE + "=" + mark;
    Set<Long> found = new TreeSet<>();
    forEachProcess(
        pid -> {
          if (hasMark(pid, wanted)) {
            found.add(pid);
          }
        });
    return found;
  }

  /**
   * Whether one process has the mark.
   *
   * @param pid the process id
   * @param mark the mark
   * @return false also when there is no such process
   */
  static boolean isMarked(long pid, String mark) {
    return hasMark(pid, VARIABLE + "=" + mark);
  }

  /**
   * Finds the processes of one session, but for the guards that lead it.
   *
   * @param session the id of the session
   * @return the process ids, in ascending order
   */
  static Set<Long> inSession(long session) {
    Set<Long> found = new TreeSet<>();
    forEachProcess(
        pid -> {
          String stat = read(pid, "stat");
          String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
          if (fields.length > 3
              && fields[3].equals(Long.toString(session))
              && !read(pid, "cmdline").contains(ContainerProcess.GUARD_NAME)) {
            found.add(pid);
          }
        });
    return found;
  }

  /**
   * Kills processes until no more are found, as new ones may be born meanwhile.
   *
   * @param search finds the processes to kill
   */
  static void kill(Supplier<Set<Long>> search) {
    for (int round = 0; round < ROUNDS; round++) {
      Set<Long> found = search.get();
      if (found.isEmpty()) {
        return;
      }
      found.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }
  }

  private static boolean hasMark(long pid, String wanted) {
    String environment = read(pid, "environ");
    return environment.startsWith(wanted) || environment.contains("\0" + wanted);
  }

  private static void forEachProcess(java.util.function.LongConsumer visitor) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path entry : entries) {
        visitor.accept(Long.parseLong(entry.getFileName().toString()));
      }
    } catch (IOException e) {
      throw new IllegalStateException("a local node needs Linux: /proc cannot be read", e);
    }
  }

  private static String read(long pid, String file) {
    try {
      return Files.readString(PROC.resolve(pid + "/" + file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
