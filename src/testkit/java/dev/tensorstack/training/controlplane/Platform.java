package dev.tensorstack.training.controlplane;

import java.util.Locale;

/**
 * An operating system and a processor, spelled as Go spells them.
 *
 * @param os {@code linux} or {@code darwin}
 * @param arch {@code amd64} or {@code arm64}
 */
record Platform(String os, String arch) {
  /**
   * The platform of this JVM.
   *
   * @throws ControlPlaneException when the control plane cannot run here
   */
  static Platform current() {
    String osName = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String osArch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    String os = osName.startsWith("mac") ? "darwin" : osName;
    String arch =
        switch (osArch) {
          case "x86_64", "amd64" -> "amd64";
          case "aarch64", "arm64" -> "arm64";
          default -> osArch;
        };
    if (!os.equals("linux") && !os.equals("darwin")) {
      throw new ControlPlaneException("the control plane runs on Linux and macOS, not on " + os);
    }
    return new Platform(os, arch);
  }

  @Override
  public String toString() {
    return os + "-" + arch;
  }
}
