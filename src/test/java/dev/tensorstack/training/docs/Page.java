package dev.tensorstack.training.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Markdown file of the project, taken apart as far as its tests need it.
 *
 * @param file where it is, relative to the checkout
 * @param anchors what a link may name after {@code #}
 * @param links targets of its links and pictures, in the order of the text
 * @param blocks its blocks of code
 * @param marks its HTML comments that are meant for tests, wherever they stand
 * @param prose its text without the blocks of code; as many lines as the file
 */
public record Page(
    Path file,
    Set<String> anchors,
    List<Link> links,
    List<CodeBlock> blocks,
    List<String> marks,
    String prose) {

  private static final Pattern FENCE = Pattern.compile("^( *)```(.*)$");
  private static final Pattern COMMENT = Pattern.compile("^ *<!-- (.*) -->$");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} (.*)$");
  private static final Pattern CODE = Pattern.compile("(?s)(`+)(.+?)\\1");
  private static final Pattern LINK =
      Pattern.compile("\\[(?:[^\\[\\]]|\\[[^\\]]*\\])*\\]\\(([^()\\s]*)\\)");

  /** Copies the collections. */
  public Page {
    anchors = Set.copyOf(anchors);
    links = List.copyOf(links);
    blocks = List.copyOf(blocks);
    marks = List.copyOf(marks);
  }

  /**
   * A link of a page.
   *
   * @param target what stands in its parentheses
   * @param line where it begins, from 1
   */
  public record Link(String target, int line) {

    /** Whether it leads out of the project. */
    public boolean isExternal() {
      return target.matches("[a-z]+:.*");
    }

    /** The file that it names; empty for the page itself. */
    public String path() {
      return target.replaceFirst("#.*", "");
    }

    /** What stands after {@code #}; empty when there is none. */
    public String anchor() {
      return target.contains("#") ? target.substring(target.indexOf('#') + 1) : "";
    }
  }

  /**
   * All Markdown files of the project.
   *
   * @return the pages, in the order of their names
   */
  public static List<Page> all() {
    List<Page> pages = new ArrayList<>();
    for (String folder : List.of("docs", "examples", "helm")) {
      try (Stream<Path> files = Files.walk(Path.of(folder))) {
        files.filter(Page::isMarkdown).forEach(file -> pages.add(read(file)));
      } catch (IOException problem) {
        throw new UncheckedIOException(problem);
      }
    }
    try (Stream<Path> files = Files.list(Path.of("."))) {
      files.filter(Page::isMarkdown).forEach(file -> pages.add(read(file.normalize())));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    pages.sort((one, other) -> one.file().compareTo(other.file()));
    return pages;
  }

  private static boolean isMarkdown(Path file) {
    return file.toString().endsWith(".md");
  }

  /**
   * Reads a page.
   *
   * @param file where it is
   * @return the page
   */
  public static Page read(Path file) {
    try {
      return of(file, Files.readString(file));
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Takes a text apart.
   *
   * @param file where the page is, or would be
   * @param text its Markdown
   * @return the page
   * @throws IllegalArgumentException when a block of code does not end
   */
  static Page of(Path file, String text) {
    List<CodeBlock> blocks = new ArrayList<>();
    List<String> marks = new ArrayList<>();
    List<String> pending = new ArrayList<>();
    List<String> prose = new ArrayList<>();
    Map<String, Integer> slugs = new HashMap<>();
    Set<String> anchors = new LinkedHashSet<>();
    List<String> lines = text.lines().toList();
    for (int number = 0; number < lines.size(); number++) {
      String line = lines.get(number);
      Matcher fence = FENCE.matcher(line);
      Matcher comment = COMMENT.matcher(line);
      Matcher heading = HEADING.matcher(line);
      if (fence.matches()) {
        int begin = number;
        StringBuilder code = new StringBuilder();
        prose.add("");
        for (number++; ; number++) {
          if (number == lines.size()) {
            throw new IllegalArgumentException(
                file + ":" + (begin + 1) + ": the block of code does not end");
          }
          prose.add("");
          if (lines.get(number).strip().equals("```")) {
            break;
          }
          code.append(lines.get(number).replaceFirst("^ {0," + fence.group(1).length() + "}", ""))
              .append("\n");
        }
        blocks.add(new CodeBlock(fence.group(2).strip(), code.toString(), begin + 1, pending));
        pending.clear();
        continue;
      }
      prose.add(line);
      if (comment.matches()) {
        pending.add(comment.group(1));
        marks.add(comment.group(1));
      } else if (!line.isBlank()) {
        pending.clear();
      }
      if (heading.matches()) {
        String slug = slug(heading.group(1));
        int earlier = slugs.merge(slug, 1, Integer::sum) - 1;
        anchors.add(earlier == 0 ? slug : slug + "-" + earlier);
      }
    }
    String withoutBlocks = String.join("\n", prose);
    return new Page(file, anchors, links(withoutBlocks), blocks, marks, withoutBlocks);
  }

  /** The anchor that GitHub gives a heading. */
  private static String slug(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .codePoints()
        .filter(c -> Character.isLetterOrDigit(c) || c == ' ' || c == '-' || c == '_')
        .mapToObj(Character::toString)
        .collect(Collectors.joining())
        .replace(' ', '-');
  }

  private static List<Link> links(String prose) {
    String plain =
        CODE.matcher(prose)
            .replaceAll(found -> Matcher.quoteReplacement(found.group().replaceAll("[^\\n]", "x")));
    List<Link> links = new ArrayList<>();
    Matcher found = LINK.matcher(plain);
    while (found.find()) {
      int line = 1 + (int) plain.substring(0, found.start()).chars().filter(c -> c == '\n').count();
      links.add(new Link(prose.substring(found.start(1), found.end(1)), line));
    }
    return links;
  }

  /**
   * What stands between single backticks in its text.
   *
   * @return the words, in the order of the text
   */
  public List<String> words() {
    return CODE.matcher(prose)
        .results()
        .map(found -> found.group(2).replaceAll("\\s+", " ").strip())
        .toList();
  }

  /** Where a line is, for messages. */
  String at(int line) {
    return file + ":" + line;
  }
}
