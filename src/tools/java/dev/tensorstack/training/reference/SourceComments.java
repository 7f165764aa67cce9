package dev.tensorstack.training.reference;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The Javadoc of a source file, for reference pages: comments are gone at run time. */
final class SourceComments {

  /**
   * What is said of a member.
   *
   * @param text the description, as Markdown
   * @param returns what it returns, as Markdown; empty when nothing is said
   */
  record Comment(String text, String returns) {}

  private SourceComments() {}

  /**
   * Reads a file.
   *
   * @param file a Java source
   * @return the comment of each field and method that has one, by the names of its types and its
   *     own with dots between, in the order of the file
   */
  static Map<String, Comment> of(Path file) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(file));
      DocTrees comments = DocTrees.instance(task);
      Map<String, Comment> found = new LinkedHashMap<>();
      for (CompilationUnitTree unit : task.parse()) {
        Void unused = new Members(comments, found).scan(unit, null);
      }
      return found;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static final class Members extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final DocTrees comments;
    private final Map<String, Comment> found;
    private final Deque<String> types = new ArrayDeque<>();

    Members(DocTrees comments, Map<String, Comment> found) {
      this.comments = comments;
      this.found = found;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void none) {
      types.addLast(type.getSimpleName().toString());
      super.visitClass(type, none);
      types.removeLast();
      return null;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void none) {
      note(method.getName().toString());
      return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree field, @Nullable Void none) {
      if (getCurrentPath().getParentPath().getLeaf().getKind() != Tree.Kind.METHOD) {
        note(field.getName().toString());
      }
      return null;
    }

    private void note(String name) {
      DocCommentTree comment = comments.getDocCommentTree(getCurrentPath());
      if (comment != null) {
        String returns =
            comment.getBlockTags().stream()
                .filter(ReturnTree.class::isInstance)
                .map(tag -> markdown(((ReturnTree) tag).getDescription()))
                .collect(Collectors.joining());
        found.put(
            String.join(".", types) + "." + name,
            new Comment(markdown(comment.getFullBody()), returns));
      }
    }
  }

  private static String markdown(List<? extends DocTree> trees) {
    return trees.stream()
        .map(SourceComments::markdown)
        .collect(Collectors.joining())
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static String markdown(DocTree tree) {
    if (tree instanceof LiteralTree literal) {
      return "`" + literal.getBody().getBody().strip() + "`";
    }
    if (tree instanceof LinkTree link) {
      return "`" + link.getReference() + "`";
    }
    return tree.toString();
  }
}
