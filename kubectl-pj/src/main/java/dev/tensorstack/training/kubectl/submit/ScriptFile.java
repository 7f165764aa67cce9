package dev.tensorstack.training.kubectl.submit;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;

/**
 * A training script on this machine.
 *
 * @param name its file name, without folders
 * @param text what is in it
 */
public record ScriptFile(String name, String text) {

  /** A ConfigMap holds 1 MiB, with everything around. */
  private static final long MOST_BYTES = 900 * 1024;

  /** Pods, Services and labels have names made of the job's. */
  private static final int LONGEST_NAME = 40;

  private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX = 5;

  /**
   * Reads a script.
   *
   * @param path where it is
   * @return the script
   * @throws IllegalArgumentException with a sentence for the user, when it is not there, too large,
   *     or no text
   * @throws IOException when it cannot be read
   */
  public static ScriptFile read(Path path) throws IOException {
    try {
      long size = Files.size(path);
      if (size > MOST_BYTES) {
        throw new IllegalArgumentException(
            path
                + " has "
                + size / 1024
                + " KiB, and a ConfigMap takes no more than 900 KiB of it: put it into the image, or"
                + " onto a volume (--pvc), and submit a small script that calls it");
      }
      String name = String.valueOf(path.getFileName());
      if (!name.matches("[-._a-zA-Z0-9]+")) {
        throw new IllegalArgumentException(
            name + ": a key of a ConfigMap has letters, digits, - _ and . only; rename the script");
      }
      return new ScriptFile(name, Files.readString(path));
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no script " + path, e);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(path + " is no text in UTF-8", e);
    }
  }

  /**
   * A name for a job of this script that is not taken, as far as chance goes.
   *
   * @return for example {@code train-x7k2f}
   */
  public String jobName() {
    String base =
        name.replaceFirst("\\.[^.]*$", "")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^[^a-z]+|-+$", "");
    base = base.isEmpty() ? "job" : base.substring(0, Math.min(LONGEST_NAME, base.length()));
    StringBuilder random = new StringBuilder(base.replaceAll("-+$", "") + "-");
    SecureRandom dice = new SecureRandom();
    for (int i = 0; i < SUFFIX; i++) {
      random.append(LETTERS.charAt(dice.nextInt(LETTERS.length())));
    }
    return random.toString();
  }

  /**
   * How large it is.
   *
   * @return bytes in UTF-8
   */
  public int size() {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
