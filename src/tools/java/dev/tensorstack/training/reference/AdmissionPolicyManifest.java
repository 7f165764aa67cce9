package dev.tensorstack.training.reference;

import dev.tensorstack.training.crd.CrdRules;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Variable;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The rules of admission as a ValidatingAdmissionPolicy: the API server asks it when a job is
 * created or its spec is changed, and not, as rules of a CRD, at each write of a status.
 */
public final class AdmissionPolicyManifest {

  /** Where the project keeps the manifest, relative to the checkout. */
  public static final Path FILE = Path.of("src/main/kubernetes/validatingadmissionpolicy.yml");

  private static final String NAME = "pytorchtrainingjobs.batch.tensorstack.dev";

  /** In characters; an API server drops a message of more than 5 KiB. */
  private static final int LONGEST_MESSAGE = 4000;

  private AdmissionPolicyManifest() {}

  /**
   * Generates policy and binding from the rules.
   *
   * @return the YAML text, two documents
   */
  public static String generate() {
    return Serialization.asYaml(policy()) + Serialization.asYaml(binding());
  }

  /**
   * The policy.
   *
   * @return the object
   */
  public static ValidatingAdmissionPolicy policy() {
    List<Variable> variables = CrdRules.variables();
    String messages =
        variables.stream()
            .map(variable -> "variables." + variable.getName())
            .collect(Collectors.joining(" + "));
    return new ValidatingAdmissionPolicyBuilder()
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .withNewSpec()
        .withFailurePolicy("Fail")
        .withNewMatchConstraints()
        .withMatchPolicy("Equivalent")
        .addNewResourceRule()
        .withApiGroups("batch.tensorstack.dev")
        .withApiVersions("v1beta1")
        .withOperations("CREATE", "UPDATE")
        .withResources("pytorchtrainingjobs")
        .withScope("Namespaced")
        .endResourceRule()
        .endMatchConstraints()
        .addNewMatchCondition()
        .withName("not-being-deleted")
        .withExpression("oldObject == null || !has(oldObject.metadata.deletionTimestamp)")
        .endMatchCondition()
        .addNewMatchCondition()
        .withName("spec-changes")
        .withExpression(
            "oldObject == null || !has(oldObject.spec) || object.spec != oldObject.spec")
        .endMatchCondition()
        .withVariables(variables)
        .addNewVariable("(" + messages + ")", "wrong")
        // An API server drops a message with more than one line.
        .addNewVariable("variables.wrong.join('; ').replace('\\n', ' ')", "told")
        .addNewValidation()
        // One, so that an answer tells of all mistakes: of several validations it tells of the
        // first.
        .withExpression("size(variables.wrong) == 0")
        .withMessageExpression(
            "size(variables.told) > %1$d ? variables.told.substring(0, %1$d) + '…' : variables.told"
                .formatted(LONGEST_MESSAGE))
        .withMessage("the job breaks rules of admission, in words that are too long to be told")
        .withReason("Invalid")
        .endValidation()
        .endSpec()
        .build();
  }

  /**
   * What makes the policy hold in all namespaces.
   *
   * @return the object
   */
  public static ValidatingAdmissionPolicyBinding binding() {
    return new ValidatingAdmissionPolicyBindingBuilder()
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .withNewSpec()
        .withPolicyName(NAME)
        .withValidationActions("Deny")
        .endSpec()
        .build();
  }
}
