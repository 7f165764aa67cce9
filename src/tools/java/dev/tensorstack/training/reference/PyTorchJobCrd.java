package dev.tensorstack.training.reference;

import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceSubresourceScaleBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The CustomResourceDefinition of {@code PyTorchJob} as it follows from the API types.
 *
 * <p>Its schema refuses nothing that Kubeflow's own takes, so that each job that is stored already
 * stays valid: words, numbers and templates are the business of the rules of admission, which the
 * reconciler asks as well. Of changes the reconciler knows nothing. What must not change even where
 * no webhook is installed is therefore said in CEL too; these rules read two fields, because the
 * API server asks all of them at each write of a status.
 */
public final class PyTorchJobCrd {

  /** Where the project keeps the manifest, relative to the checkout. */
  public static final Path FILE = Path.of("src/main/kubernetes/pytorchjobs.kubeflow.org-v1.yml");

  private static final List<String> COLUMNS = List.of("State", "Age");

  /**
   * A rule at a field is not asked when the field comes or goes; one at the spec, which would be,
   * is too expensive for the API server, because the size of a spec has no limit.
   */
  private static final ValidationRule MANAGED_BY_IS_IMMUTABLE =
      new ValidationRuleBuilder()
          .withRule("self == oldSelf")
          .withMessage("spec.runPolicy.managedBy is immutable")
          .build();

  /** As Kubeflow has it. */
  private static final ValidationRule QUEUE_IS_IMMUTABLE =
      new ValidationRuleBuilder()
          .withRule("self == oldSelf")
          .withMessage("spec.runPolicy.schedulingPolicy.queue is immutable")
          .build();

  private PyTorchJobCrd() {}

  /**
   * Generates the manifest from the types.
   *
   * @return the YAML text
   */
  public static String generate() {
    return CrdManifest.generate(PyTorchJob.class, new WhatAnnotationsCannotSay());
  }

  private static final class WhatAnnotationsCannotSay implements CRDPostProcessor {
    @Override
    public HasMetadata process(HasMetadata object, String version) {
      var crd = (CustomResourceDefinition) object;
      crd.getSpec().getVersions().forEach(WhatAnnotationsCannotSay::complete);
      return crd;
    }

    private static void complete(CustomResourceDefinitionVersion version) {
      CrdManifest.orderColumns(version, COLUMNS);
      version
          .getSubresources()
          .setScale(
              new CustomResourceSubresourceScaleBuilder()
                  .withSpecReplicasPath(".spec.pytorchReplicaSpecs.Worker.replicas")
                  .withStatusReplicasPath(".status.replicaStatuses.Worker.active")
                  .withLabelSelectorPath(".status.replicaStatuses.Worker.selector")
                  .build());
      JSONSchemaProps root = version.getSchema().getOpenAPIV3Schema();
      CrdManifest.describe(root);
      child(root, "status").setXKubernetesMapType("atomic");
      JSONSchemaProps spec = child(root, "spec");
      JSONSchemaProps policy = child(spec, "runPolicy");
      child(policy, "managedBy").setXKubernetesValidations(List.of(MANAGED_BY_IS_IMMUTABLE));
      JSONSchemaProps queue = child(child(policy, "schedulingPolicy"), "queue");
      queue.setXKubernetesValidations(List.of(QUEUE_IS_IMMUTABLE));
      child(spec, "elasticPolicy").getProperties().put("metrics", metrics(spec));
      formats(spec);
    }

    private static JSONSchemaProps child(JSONSchemaProps schema, String name) {
      return schema.getProperties().get(name);
    }

    /** What a metric may be the API of autoscalers says. */
    private static JSONSchemaProps metrics(JSONSchemaProps spec) {
      return new JSONSchemaPropsBuilder()
          .withDescription(child(child(spec, "elasticPolicy"), "metrics").getDescription())
          .withType("array")
          .withNewItems()
          .withNewSchema()
          .withType("object")
          .withXKubernetesPreserveUnknownFields(true)
          .endSchema()
          .endItems()
          .build();
    }

    /** Numbers are those that the Java types can hold. */
    private static void formats(JSONSchemaProps schema) {
      if (schema.getProperties() == null) {
        return;
      }
      for (Map.Entry<String, JSONSchemaProps> property : schema.getProperties().entrySet()) {
        JSONSchemaProps value = property.getValue();
        if ("integer".equals(value.getType())) {
          value.setFormat(property.getKey().equals("activeDeadlineSeconds") ? "int64" : "int32");
        }
        formats(value);
        if (value.getAdditionalProperties() != null
            && value.getAdditionalProperties().getSchema() != null) {
          formats(value.getAdditionalProperties().getSchema());
        }
      }
    }
  }
}
