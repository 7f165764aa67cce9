package dev.tensorstack.training.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The page about the licences of what is shipped with the operator, made from what the build packed
 * and from the POMs of that.
 */
public final class LicencesReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/licences.md");

  /** What the build says it packed: a line {@code group:artifact:classifier:type:version} each. */
  static final Path PACKED = Path.of("target/quarkus-app/quarkus-app-dependencies.txt");

  /** Licences with which the operator may be shipped; of several, one of these is enough. */
  static final Set<String> ACCEPTED =
      Set.of(
          "Apache-2.0",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "CC0-1.0",
          "EPL-1.0",
          "EPL-2.0",
          "MIT",
          "MIT-0");

  /** The same libraries on every platform: their names tell for which they were built. */
  private static final Pattern PLATFORM =
      Pattern.compile("(linux|osx|windows)-(x86_64|x86-64|aarch_?64|arm64)");

  /** EnumNames of POMs for a licence, in lower case; the first that is found counts. */
  private static final List<Map.Entry<Pattern, String>> SPELLINGS =
      List.of(
          spelling("apache.*2", "Apache-2.0"),
          spelling(
              "gnu general public license.*2.*classpath|gpl.?2.*(cpe|classpath)",
              "GPL-2.0 with Classpath exception"),
          // Its text is that of BSD-3-Clause.
          spelling("go license", "BSD-3-Clause"),
          spelling("edl.*1\\.0|eclipse distribution license.*1\\.0", "BSD-3-Clause"),
          spelling("(epl|eclipse public license).*2\\.0", "EPL-2.0"),
          spelling("(epl|eclipse public license).*1\\.0", "EPL-1.0"),
          // It is MIT's text.
          spelling("bouncy castle", "MIT"),
          spelling("cc0", "CC0-1.0"));

  /** Where the project keeps the notices, relative to the checkout. */
  public static final Path NOTICE = Path.of("NOTICE");

  private static final String NOTICE_TOP =
      """
      PyTorchTrainingJob operator

      It is shipped with libraries, whose licences are listed in docs/reference/licences.md. Some of them ask to hand
      on a notice; these follow, each under the names of the libraries that have it. LicencesIT makes this file.
      """;

  private static final String TOP =
      """
      # Licences of dependencies

      <!-- Made from the packaged operator by LicencesIT; do not edit. -->

      The operator is under the [Apache License 2.0](../../LICENSE). It is shipped with the libraries below: as jars in the
      JVM's image, compiled into the binary in the native one. What some of them ask to be told is in [NOTICE](../../NOTICE). The licences are those that their POMs state, in the words of
      [SPDX](https://spdx.org/licenses/); where there are several, one may choose. Tools of the build and libraries of
      the tests are not shipped and not listed.

      The images hold more: a JDK 25 (JVM) or the runtime of GraalVM (native), both GPL-2.0 with the Classpath exception,
      and the base image named in the Dockerfile, whose packages are in the image's SBOM ([security](../../SECURITY.md#what-is-built-from-what)).

      """;

  private LicencesReference() {}

  private static Map.Entry<Pattern, String> spelling(String words, String licence) {
    return Map.entry(Pattern.compile(words), licence);
  }

  /**
   * Something that is shipped.
   *
   * @param name group and artifact
   * @param version its version
   * @param licences what its POM states, never empty
   */
  public record Dependency(String name, String version, Set<String> licences) {}

  /**
   * Reads what was packed.
   *
   * @return one for each library, in the order of their names
   * @throws IllegalStateException when one has no POM in the local repository, or that says nothing
   *     of a licence
   */
  public static List<Dependency> dependencies() {
    try {
      Map<String, Dependency> dependencies = new TreeMap<>();
      for (String line : Files.readAllLines(PACKED)) {
        if (!line.isBlank()) {
          String[] parts = line.strip().split(":", -1);
          String version = parts[parts.length - 1];
          Set<String> licences = licences(parts[0], parts[1], version);
          if (licences.isEmpty()) {
            throw new IllegalStateException(line + ": its POM states no licence");
          }
          String name = parts[0] + ":" + PLATFORM.matcher(parts[1]).replaceAll("PLATFORM");
          dependencies.put(name, new Dependency(name, version, licences));
        }
      }
      return List.copyOf(dependencies.values());
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** Of a POM, or else of its nearest parent that states any. */
  private static Set<String> licences(String group, String artifact, String version)
      throws IOException {
    Path file =
        repository()
            .resolve(group.replace('.', '/'))
            .resolve(artifact)
            .resolve(version)
            .resolve(artifact + "-" + version + ".pom");
    Element project = parse(file);
    Set<String> licences = new LinkedHashSet<>();
    Element stated = child(project, "licenses");
    if (stated != null) {
      for (Element licence : children(stated, "license")) {
        licences.add(spdx(text(licence, "name")));
      }
    }
    Element parent = child(project, "parent");
    return licences.isEmpty() && parent != null
        ? licences(text(parent, "groupId"), text(parent, "artifactId"), text(parent, "version"))
        : licences;
  }

  private static String spdx(String name) {
    String words = name.toLowerCase(Locale.ROOT);
    return SPELLINGS.stream()
        .filter(spelling -> spelling.getKey().matcher(words).find())
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(name);
  }

  /** Maven tells tests where it is. */
  private static Path repository() {
    String given = System.getProperty("localRepository");
    return given != null
        ? Path.of(given)
        : Path.of(System.getProperty("user.home"), ".m2", "repository");
  }

  private static Element parse(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new IllegalStateException(file + " is missing: let Maven resolve it again");
    }
    try {
      var factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException problem) {
      throw new IllegalStateException(file + " cannot be read", problem);
    }
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }

  private static @Nullable Element child(Element parent, String name) {
    List<Element> found = children(parent, name);
    return found.isEmpty() ? null : found.get(0);
  }

  private static String text(Element parent, String name) {
    Element child = child(parent, name);
    return child == null ? "" : child.getTextContent().strip();
  }

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    List<Dependency> dependencies = dependencies();
    Map<String, Integer> counts = new TreeMap<>();
    for (Dependency dependency : dependencies) {
      counts.merge(words(dependency), 1, Integer::sum);
    }
    StringBuilder page = new StringBuilder(TOP).append("| Licence | Libraries |\n|---|---|\n");
    counts.forEach(
        (licence, count) ->
            page.append("| ").append(licence).append(" | ").append(count).append(" |\n"));
    page.append("\n## Libraries\n\n| Library | Version | Licence |\n|---|---|---|\n");
    for (Dependency dependency : dependencies) {
      page.append("| `")
          .append(dependency.name())
          .append("` | ")
          .append(dependency.version())
          .append(" | ")
          .append(words(dependency))
          .append(" |\n");
    }
    return page.toString();
  }

  /**
   * Generates the file with the notices that libraries ask to be handed on; of jars they are in the
   * jars too, of a binary they are nowhere else.
   *
   * @return plain text
   */
  public static String notices() {
    Map<String, Set<String>> libraries = new TreeMap<>();
    for (Path jar : jars()) {
      String notice = notice(jar);
      if (!notice.isEmpty()) {
        String name = PLATFORM.matcher(jar.getFileName().toString()).replaceAll("PLATFORM");
        libraries
            .computeIfAbsent(notice, text -> new TreeSet<>())
            .add(name.replaceFirst("-\\d[^-]*(\\.Final)?\\.jar$", ""));
      }
    }
    Map<String, String> inOrder = new TreeMap<>();
    libraries.forEach((text, names) -> inOrder.put(String.join(", ", names), text));
    StringBuilder file = new StringBuilder(NOTICE_TOP);
    inOrder.forEach(
        (names, text) ->
            file.append("\n")
                .append("=".repeat(80))
                .append("\n")
                .append(names)
                .append("\n\n")
                .append(text)
                .append("\n"));
    return file.toString();
  }

  private static List<Path> jars() {
    try (Stream<Path> files = Files.walk(PACKED.resolveSibling("lib"))) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** The notice in a jar, without blanks at the ends of lines; empty when there is none. */
  private static String notice(Path jar) {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (String name : List.of("META-INF/NOTICE", "META-INF/NOTICE.txt", "META-INF/NOTICE.md")) {
        ZipEntry entry = zip.getEntry(name);
        if (entry != null) {
          return new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .map(String::stripTrailing)
              .collect(Collectors.joining("\n"))
              .strip();
        }
      }
      return "";
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static String words(Dependency dependency) {
    return String.join(" or ", new TreeSet<>(dependency.licences()));
  }
}
