package dev.tensorstack.training.release;

import dev.tensorstack.training.chart.ChartFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Helm renders of the chart that a repository would release: the recorded rendering, which
 * {@code ChartRenderingIT} compares with Helm's, with the version, the images' name and the large
 * files that the record leaves out.
 */
final class Rendering {

  /** A repository with capitals, which an image cannot have. */
  static final String REPOSITORY = "Some-Owner/Operator";

  /** The image of that repository, without its tag. */
  static final String IMAGE = "ghcr.io/some-owner/operator";

  private static final Map<String, Path> LEFT_OUT =
      Map.of(
          "pytorchtrainingjobs.batch.tensorstack.dev\nspec: {} # the CRD's\n",
          ChartFiles.CHART.resolve("files/pytorchtrainingjobs.batch.tensorstack.dev-v1.yml"),
          "pytorchjobs.kubeflow.org\nspec: {} # the CRD's\n",
          ChartFiles.CHART.resolve("files/pytorchjobs.kubeflow.org-v1.yml"),
          "\"pytorchtrainingjobs.batch.tensorstack.dev\"\nspec: {} # the policy's\n",
          ChartFiles.CHART.resolve("files/validatingadmissionpolicy.yml"));

  private static final Pattern SPEC = Pattern.compile("(?s)\nspec:\n.*?(?=\n---\n|\\z)");

  private Rendering() {}

  /** The rendering of a value set, in a file. */
  static Path write(Path folder, String set) throws IOException {
    String text =
        ChartFiles.text(ChartFiles.golden(set))
            .replace("VERSION", ChartFiles.version())
            .replace("ghcr.io/OWNER/REPOSITORY", IMAGE);
    for (var part : LEFT_OUT.entrySet()) {
      String name = part.getKey().substring(0, part.getKey().indexOf('\n'));
      text = text.replace("name: " + part.getKey(), "name: " + name + spec(part.getValue()) + "\n");
    }
    return Files.writeString(folder.resolve(set + ".yaml"), text);
  }

  /** The spec of the first document of a file, as it is written there. */
  static String spec(Path file) {
    Matcher spec = SPEC.matcher(ChartFiles.text(file).stripTrailing());
    if (!spec.find()) {
      throw new AssertionError("no spec in " + file);
    }
    return spec.group();
  }
}
