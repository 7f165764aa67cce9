package dev.tensorstack.training.controlplane;

import java.nio.file.Path;
import java.util.Optional;

/** A way to get a program of the control plane. */
interface BinarySource {
  /**
   * Puts the program into a file, and {@link Tool#manifests()}, if it has any, beside it.
   *
   * @param tool which one
   * @param target where to; a file that exists there is replaced, and may be left half-written when
   *     this fails
   * @return empty when the program is there, otherwise the reason, in words for a person
   * @throws InterruptedException when the thread was interrupted; nothing goes on in the background
   */
  Optional<String> fetch(Tool tool, Path target) throws InterruptedException;

  /**
   * Where the manifests of a program go.
   *
   * @param target the program's file
   * @return one YAML file for all of them
   */
  static Path manifestsBeside(Path target) {
    return target.resolveSibling(target.getFileName() + ".yaml.part");
  }
}
