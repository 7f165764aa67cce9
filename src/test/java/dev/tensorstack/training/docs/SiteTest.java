package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every page is in the menu of the site, and nothing else is. */
class SiteTest {

  private static final Path DOCS = Path.of("docs");
  private static final Pattern ENTRY = Pattern.compile("(?m)^ *- [^:]+: ([a-zA-Z0-9/-]+\\.md)$");

  @Test
  void theMenuHasEveryPage() throws IOException {
    Set<String> menu = new TreeSet<>();
    Matcher entry = ENTRY.matcher(Files.readString(Path.of("src/tools/site/mkdocs.yml")));
    while (entry.find()) {
      menu.add(entry.group(1));
    }

    assertThat(menu).isEqualTo(pages());
  }

  private static Set<String> pages() {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .map(file -> DOCS.relativize(file).toString().replace('\\', '/'))
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
