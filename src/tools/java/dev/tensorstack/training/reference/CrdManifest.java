package dev.tensorstack.training.reference;

import dev.tensorstack.training.crd.CrdSchema;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The CustomResourceDefinition as it follows from the API types. */
public final class CrdManifest {

  /** Where the project keeps the manifest, relative to the checkout. */
  public static final Path FILE =
      Path.of("src/main/kubernetes/pytorchtrainingjobs.batch.tensorstack.dev-v1.yml");

  private static final List<String> COLUMNS =
      List.of("Phase", "Running", "Restarts", "Progress", "ETA", "Age", "Nodes", "Queue", "Reason");

  private CrdManifest() {}

  /**
   * Generates the manifest from the types.
   *
   * @return the YAML text
   */
  public static String generate() {
    return generate(PyTorchTrainingJob.class, new WhatAnnotationsCannotSay());
  }

  /**
   * Generates the manifest of a kind from its types.
   *
   * @param kind the Java type of the object
   * @param postProcessor adds what annotations cannot say
   * @return the YAML text
   */
  static String generate(
      Class<? extends CustomResource<?, ?>> kind, CRDPostProcessor postProcessor) {
    try {
      Path directory = Files.createTempDirectory("crd");
      try {
        new CRDGenerator()
            .inOutputDir(directory.toFile())
            .withMinQuotes(true)
            .withPostProcessor(postProcessor)
            .customResourceClasses(kind)
            .forCRDVersions("v1")
            .detailedGenerate();
        try (Stream<Path> files = Files.list(directory)) {
          return Files.readString(files.findFirst().orElseThrow())
              .replaceFirst("^#[^\n]*\n", "# Made from the API types by GeneratedFilesTest.\n");
        }
      } finally {
        try (Stream<Path> files = Files.walk(directory)) {
          files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Says of the whole object what its types do not say.
   *
   * @param root the schema of the object; it is changed
   */
  static void describe(JSONSchemaProps root) {
    root.getProperties().remove("unreadable"); // A mark within the operator.
    root.setDescription("A distributed PyTorch training job.");
    root.setRequired(List.of("spec"));
    root.getProperties().get("spec").setDescription("What the user wants to be trained.");
    root.getProperties()
        .get("status")
        .setDescription("What the operator has seen and decided; written by the operator.");
  }

  /**
   * Puts the columns of {@code kubectl get} into an order.
   *
   * @param version the version of the CRD; it is changed
   * @param names the names of all columns
   */
  static void orderColumns(CustomResourceDefinitionVersion version, List<String> names) {
    version
        .getAdditionalPrinterColumns()
        .sort(
            Comparator.comparingInt(
                (CustomResourceColumnDefinition column) -> names.indexOf(column.getName())));
  }

  private static final class WhatAnnotationsCannotSay implements CRDPostProcessor {
    @Override
    public HasMetadata process(HasMetadata object, String version) {
      var crd = (CustomResourceDefinition) object;
      for (var served : crd.getSpec().getVersions()) {
        orderColumns(served, COLUMNS);
        JSONSchemaProps root = served.getSchema().getOpenAPIV3Schema();
        describe(root);
        keyedBy("type", root, "spec", "replicaSpecs");
        keyedBy("type", root, "spec", "runMode", "debug", "replicaSpecs");
        keyedBy("type", root, "spec", "runMode", "pause", "resumeSpecs");
        keyedBy("type", root, "status", "tasks");
        keyedBy("type", root, "status", "conditions");
        CrdSchema.complete(root);
      }
      return crd;
    }

    /** Makes a list a map for server-side apply: an entry is known by its key, not its place. */
    private static void keyedBy(String key, JSONSchemaProps root, String... path) {
      JSONSchemaProps schema = root;
      for (String step : path) {
        schema = schema.getProperties().get(step);
      }
      schema.setXKubernetesListType("map");
      schema.setXKubernetesListMapKeys(List.of(key));
    }
  }
}
