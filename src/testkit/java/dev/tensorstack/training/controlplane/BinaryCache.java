package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A folder of programs that is filled on demand, once, also when several processes want it at the
 * same time.
 *
 * <p>A program counts only together with its stamp, which is written after it: the recipe it was
 * made from and its size; its manifests, if it has any, have to be there as well. Whatever is
 * half-written, cut short or of another recipe is made again.
 */
final class BinaryCache {
  private static final String LOCK_FILE = ".lock";
  private static final String PART = ".part";
  private static final Duration LOCK_POLL = Duration.ofMillis(200);

  private final Path directory;
  private final Function<Tool, String> recipe;
  private final List<BinarySource> sources;
  private final Progress progress;

  /**
   * A cache in a folder, which is created when needed.
   *
   * @param recipe what a program is made from, as one word; another recipe is another program
   * @param sources the ways to get a program, tried in this order
   */
  BinaryCache(
      Path directory,
      Function<Tool, String> recipe,
      List<BinarySource> sources,
      Progress progress) {
    this.directory = directory;
    this.recipe = recipe;
    this.sources = List.copyOf(sources);
    this.progress = progress;
  }

  /**
   * Makes sure that the programs are there.
   *
   * @return the folder that holds them
   * @throws ControlPlaneException when no source could provide one of them
   * @throws InterruptedException when interrupted; what was finished is kept
   */
  Path provide(Collection<Tool> tools) throws InterruptedException {
    try {
      if (missing(tools).isEmpty()) {
        return directory;
      }
      Files.createDirectories(directory);
      try (FileChannel channel =
              FileChannel.open(
                  directory.resolve(LOCK_FILE),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE);
          FileLock lock = lock(channel)) {
        writeOwner(channel);
        deleteLeftovers();
        for (Tool tool : missing(tools)) {
          fetch(tool);
        }
        return directory;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep programs in " + directory, e);
    }
  }

  private List<Tool> missing(Collection<Tool> tools) throws IOException {
    List<Tool> missing = new ArrayList<>();
    for (Tool tool : tools) {
      if (!isValid(tool)) {
        missing.add(tool);
      }
    }
    return missing;
  }

  private boolean isValid(Tool tool) throws IOException {
    Path binary = binary(tool);
    Path stamp = stamp(tool);
    return Files.isExecutable(binary)
        && Files.isRegularFile(stamp)
        && (tool.manifests().isEmpty() || Files.isRegularFile(manifests(directory, tool)))
        && Files.readString(stamp).equals(stampOf(tool, binary));
  }

  private String stampOf(Tool tool, Path binary) throws IOException {
    return recipe.apply(tool) + " " + Files.size(binary) + "\n";
  }

  private Path binary(Tool tool) {
    return directory.resolve(tool.program());
  }

  /** The file with the manifests of a program, in the folder that holds the program. */
  static Path manifests(Path directory, Tool tool) {
    return directory.resolve(tool.program() + ".yaml");
  }

  private Path stamp(Tool tool) {
    return directory.resolve("." + tool.program() + ".stamp");
  }

  private void fetch(Tool tool) throws IOException, InterruptedException {
    List<String> reasons = new ArrayList<>();
    for (BinarySource source : sources) {
      Path part = directory.resolve("." + tool.program() + PART);
      Optional<String> failure = source.fetch(tool, part);
      if (failure.isEmpty()) {
        takeIn(tool, part);
        return;
      }
      Files.deleteIfExists(part);
      reasons.add(failure.get());
    }
    throw new ControlPlaneException(
        "cannot get "
            + tool.program()
            + " "
            + tool.version()
            + ":\n - "
            + String.join("\n - ", reasons));
  }

  /** The stamp goes away first and comes last, so at no time does it vouch for another file. */
  private void takeIn(Tool tool, Path part) throws IOException {
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.deleteIfExists(stamp(tool));
    if (!tool.manifests().isEmpty()) {
      Path manifests = BinarySource.manifestsBeside(part);
      Files.move(manifests, manifests(directory, tool), ATOMIC_MOVE, REPLACE_EXISTING);
    }
    Files.move(part, binary(tool), ATOMIC_MOVE, REPLACE_EXISTING);
    Path stampPart = directory.resolve("." + tool.program() + ".stamp" + PART);
    Files.writeString(stampPart, stampOf(tool, binary(tool)));
    Files.move(stampPart, stamp(tool), ATOMIC_MOVE, REPLACE_EXISTING);
  }

  /** Only the holder of the lock writes parts, so what lies around is from a killed process. */
  private void deleteLeftovers() throws IOException {
    try (var files = Files.newDirectoryStream(directory, ".*" + PART)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  private FileLock lock(FileChannel channel) throws IOException, InterruptedException {
    FileLock lock = tryLock(channel);
    if (lock != null) {
      return lock;
    }
    String waiting =
        "waiting for " + owner(channel) + ", which fills " + directory + " at this moment";
    try (Progress.Step step = progress.begin(waiting, () -> "")) {
      lock =
          await(waiting)
              .forever()
              .pollInterval(LOCK_POLL)
              .until(() -> tryLock(channel), Objects::nonNull);
      progress.say("waited " + step.elapsedSeconds() + " s");
    }
    return lock;
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // another thread of this process has it
    }
  }

  private static void writeOwner(FileChannel channel) throws IOException {
    channel.truncate(0);
    channel.write(UTF_8.encode("process " + ProcessHandle.current().pid()), 0);
  }

  private static String owner(FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    channel.read(buffer, 0);
    buffer.flip();
    return buffer.hasRemaining() ? UTF_8.decode(buffer).toString() : "another process";
  }
}
