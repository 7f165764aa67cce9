package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Links of the documentation lead somewhere, and every page is found. No network is used. */
class LinksTest {

  private static final Path INDEX = Path.of("docs/README.md");

  /** For those who find them where they are. */
  private static final Set<Path> FOUND_OTHERWISE =
      Set.of(Path.of("helm/pytorchtrainingjob-operator/README.md"));

  private final Map<Path, Page> pages = new TreeMap<>();

  LinksTest() {
    Page.all().forEach(page -> pages.put(page.file(), page));
  }

  /** Where a link of a page leads in the checkout. */
  private static Path target(Page page, Page.Link link) {
    if (link.path().isEmpty()) {
      return page.file();
    }
    Path folder = page.file().getParent();
    return (folder == null ? Path.of(link.path()) : folder.resolve(link.path())).normalize();
  }

  @Test
  void everyLinkWithinTheProjectHasItsFileAndItsAnchor() {
    List<String> broken = new ArrayList<>();
    for (Page page : pages.values()) {
      for (Page.Link link : page.links()) {
        if (link.isExternal()) {
          continue;
        }
        Path target = target(page, link);
        Page there = pages.get(target);
        if (!Files.exists(target)) {
          broken.add(page.at(link.line()) + ": there is no " + target);
        } else if (!link.anchor().isEmpty()
            && (there == null || !there.anchors().contains(link.anchor()))) {
          broken.add(page.at(link.line()) + ": there is no heading for " + link.target());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyLinkToTheOutsideIsWellFormed() {
    List<String> malformed = new ArrayList<>();
    for (Page page : pages.values()) {
      for (Page.Link link : page.links()) {
        if (link.isExternal() && !wellFormed(link.target())) {
          malformed.add(page.at(link.line()) + ": " + link.target());
        }
      }
    }
    assertThat(malformed).isEmpty();
  }

  private static boolean wellFormed(String target) {
    try {
      URI address = URI.create(target);
      return Set.of("https", "http").contains(address.getScheme())
          && address.getHost() != null
          && address.getHost().contains(".");
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  @Test
  void everyPageIsReachedFromTheIndex() {
    Set<Path> reached = new LinkedHashSet<>(Set.of(INDEX));
    Deque<Path> next = new ArrayDeque<>(reached);
    while (!next.isEmpty()) {
      Page page = Objects.requireNonNull(pages.get(next.removeFirst()));
      for (Page.Link link : page.links()) {
        Path target = target(page, link);
        if (!link.isExternal() && pages.containsKey(target) && reached.add(target)) {
          next.addLast(target);
        }
      }
    }
    Set<Path> missing = new LinkedHashSet<>(pages.keySet());
    missing.removeAll(reached);
    missing.removeAll(FOUND_OTHERWISE);
    assertThat(missing).isEmpty();
  }
}
