package dev.tensorstack.training.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A directory that changes as that of a mounted Secret does: its files are links through {@code
 * ..data}, a link that is exchanged.
 */
final class ProvidedFiles {

  private final Path directory;
  private int versions;

  ProvidedFiles(Path directory) {
    this.directory = directory;
  }

  /** The directory to give to the operator. */
  Path path() {
    return directory;
  }

  /** A new certificate of an authority, all three files at once. */
  void exchange(TestAuthority authority) throws IOException {
    TestAuthority.Issued issued = authority.issue();
    exchange(issued.certificate(), issued.key(), authority.pem());
  }

  /** A certificate and a key that do not belong together. */
  void breakKey() throws IOException {
    TestAuthority authority = TestAuthority.create();
    exchange(authority.issue().certificate(), authority.issue().key(), authority.pem());
  }

  private void exchange(String certificate, String key, String authority) throws IOException {
    Path version = Files.createDirectory(directory.resolve("..version-" + versions++));
    Files.writeString(version.resolve("tls.crt"), certificate);
    Files.writeString(version.resolve("tls.key"), key);
    Files.writeString(version.resolve("ca.crt"), authority);
    Path link = directory.resolve("..data_tmp");
    Files.createSymbolicLink(link, version.getFileName());
    Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    for (String file : new String[] {"tls.crt", "tls.key", "ca.crt"}) {
      Path visible = directory.resolve(file);
      if (!Files.isSymbolicLink(visible)) {
        Files.createSymbolicLink(visible, Path.of("..data", file));
      }
    }
  }
}
