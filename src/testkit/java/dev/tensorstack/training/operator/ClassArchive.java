package dev.tensorstack.training.operator;

import dev.tensorstack.training.controlplane.GuardedProcess;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The classes of the packaged operator as a JVM has read and verified them (class-data sharing): an
 * operator that begins with them is ready after two thirds of the processor time. The archive is
 * made once for each jar and JVM, in {@code target}, by an operator that has no cluster. Where that
 * does not work, operators start without it.
 */
final class ClassArchive {

  /** Processes that cannot use the archive say nothing, and go on without. */
  private static final String QUIET = "-Xlog:cds*=off";

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration DUMP_LIMIT = Duration.ofSeconds(60);

  private static final String NO_CLUSTER =
      """
      apiVersion: v1
      kind: Config
      current-context: none
      clusters: [{name: none, cluster: {server: "https://127.0.0.1:%d"}}]
      users: [{name: none, user: {token: none}}]
      contexts: [{name: none, context: {cluster: none, user: none, namespace: default}}]
      """;

  private final Path jar;
  private final List<String> command;
  private final String name;

  /**
   * The archive of a program.
   *
   * @param jar the operator's jar
   * @param command java and its options, without the jar
   */
  ClassArchive(Path jar, List<String> command) {
    this.jar = jar;
    this.command = List.copyOf(command);
    this.name =
        Integer.toHexString((System.getProperty("java.vm.version") + this.command).hashCode());
  }

  /** Not in the folder of the jar, which goes into the image as it is. */
  private Path file(String ending) {
    return Path.of("target", "operator-classes", name + ending);
  }

  /** Options of a JVM that uses it; it is made first when there is none. */
  List<String> options() {
    synchronized (ClassArchive.class) {
      try {
        if (!isMade()) {
          make();
        }
        Path archive = file(".jsa");
        return Files.size(archive) == 0
            ? List.of()
            : List.of(QUIET, "-XX:SharedArchiveFile=" + archive);
      } catch (IOException problem) {
        return List.of();
      }
    }
  }

  /** Also when it could not be made: then it is empty. */
  private boolean isMade() throws IOException {
    return Files.exists(file(".jsa"))
        && Files.getLastModifiedTime(file(".jsa")).compareTo(Files.getLastModifiedTime(jar)) >= 0;
  }

  /** Other JVMs that run tests wait for it. */
  private void make() throws IOException {
    Files.createDirectories(file("").getParent());
    try (FileChannel channel =
            FileChannel.open(file(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock unused = channel.lock()) {
      if (isMade()) {
        return;
      }
      Path dump = file(".dump");
      Files.deleteIfExists(dump);
      if (!dump(dump)) {
        Files.deleteIfExists(dump);
        Files.createFile(dump);
      }
      Files.move(dump, file(".jsa"), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * Lets an operator start, and ends it: it writes down which classes it has.
   *
   * @return whether that worked
   */
  private boolean dump(Path to) throws IOException {
    int port = LoopbackPorts.next();
    Path kubeconfig = file(".kubeconfig");
    Files.writeString(kubeconfig, NO_CLUSTER.formatted(LoopbackPorts.next()));
    List<String> dumping = new ArrayList<>(command);
    dumping.addAll(List.of(QUIET, "-XX:ArchiveClassesAtExit=" + to, "-jar", jar.toString()));
    GuardedProcess operator =
        GuardedProcess.start(
            "classes",
            dumping,
            Path.of("."),
            Map.of(
                "KUBECONFIG", kubeconfig.toString(),
                "QUARKUS_HTTP_HOST", "127.0.0.1",
                "QUARKUS_HTTP_SSL_PORT", Integer.toString(LoopbackPorts.next()),
                "QUARKUS_MANAGEMENT_HOST", "127.0.0.1",
                "QUARKUS_MANAGEMENT_PORT", Integer.toString(port)),
            file(".log"),
            null);
    try {
      Awaitility.await("an operator without a cluster")
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> !operator.isAlive() || isLive(port));
      if (operator.isAlive()) {
        // Not by the guard, which has no patience.
        ProcessHandle.of(operator.pid()).ifPresent(ProcessHandle::destroy);
      }
      Awaitility.await("its classes").atMost(DUMP_LIMIT).until(() -> !operator.isAlive());
      return Files.exists(to);
    } catch (ConditionTimeoutException | IllegalStateException withoutThem) {
      return false;
    } finally {
      operator.stop();
    }
  }

  private static boolean isLive(int port) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/q/health/live").toURL().openConnection();
      connection.setConnectTimeout(1_000);
      connection.setReadTimeout(5_000);
      connection.setRequestProperty("Connection", "close");
      return connection.getResponseCode() > 0;
    } catch (IOException notYet) {
      return false;
    }
  }
}
