package dev.tensorstack.training.localnode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Where a node keeps its files. Nothing but host path volumes lies outside of it.
 *
 * @param root the directory; nodes may share it
 */
record NodeDirectory(Path root) {
  /** The longest temporary directory that still leaves room for the path of a Unix socket. */
  private static final int LONGEST_TEMPORARY = 64;

  /**
   * The directory of one pod.
   *
   * @param uid the pod's uid
   * @return a short path, created when missing
   */
  Path pod(String uid) {
    return create(root.resolve("p").resolve(uid.length() > 13 ? uid.substring(0, 13) : uid));
  }

  /**
   * A file or directory of a pod.
   *
   * @param uid the pod's uid
   * @param names path below the pod's directory
   * @return the path; its parents are created when missing, itself not
   */
  Path inPod(String uid, String... names) {
    Path path = pod(uid);
    for (String name : names) {
      path = path.resolve(name);
    }
    return createParent(path);
  }

  /**
   * The directory that stands for a claim, the same for all pods.
   *
   * @param namespace the claim's namespace
   * @param name the claim's name
   * @return the path, created when missing
   */
  Path claim(String namespace, String name) {
    return create(root.resolve("claims").resolve(namespace).resolve(name));
  }

  /**
   * Where a pod's processes put temporary files.
   *
   * @param uid the pod's uid
   * @return a directory of the pod, created when missing; the machine's when the pod's path is too
   *     long for programs that open Unix sockets there
   */
  Path temporary(String uid) {
    Path own = inPod(uid, "tmp");
    return own.toString().length() > LONGEST_TEMPORARY
        ? Path.of(System.getProperty("java.io.tmpdir"))
        : create(own);
  }

  /**
   * Removes what was kept for a pod.
   *
   * @param uid the pod's uid
   */
  void deletePod(String uid) {
    delete(pod(uid));
  }

  /**
   * Creates a directory with its parents.
   *
   * @param path the directory
   * @return the same path
   */
  static Path create(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Creates the directory of a file.
   *
   * @param file the file, which is not touched
   * @return the same path
   */
  static Path createParent(Path file) {
    Path parent = file.getParent();
    if (parent != null) {
      create(parent);
    }
    return file;
  }

  /**
   * Deletes a file or a directory with all that is in it, as far as possible. Links are not
   * followed.
   *
   * @param path the file or directory, which may be missing
   */
  static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | UncheckedIOException e) {
      System.getLogger(NodeDirectory.class.getName())
          .log(System.Logger.Level.DEBUG, "Leaving files behind in {0}: {1}", path, e);
    }
  }
}
