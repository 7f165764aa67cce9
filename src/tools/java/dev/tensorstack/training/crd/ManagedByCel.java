package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.text;
import static dev.tensorstack.training.crd.Example.job;

import dev.tensorstack.training.kind.trainingjob.v1beta1.ManagedBy;
import java.util.List;

/** {@code managed-by} in the CRD. */
final class ManagedByCel {

  private static final String ID = "managed-by";
  private static final String AT = "spec.managedBy";
  private static final String TOO_LONG = "size(self) > " + ManagedBy.LONGEST;

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, AT)
                  .refuses(TOO_LONG)
                  .example(job("managedBy: example.com/" + "a".repeat(54)))
                  .value("66", "string(size(self))")
                  .value("3", "string(size(self) - " + ManagedBy.LONGEST + ")"),
              CelRule.of(ID, AT)
                  .refuses(
                      "!(%s) && !self.matches(%s)"
                          .formatted(TOO_LONG, text("^" + ManagedBy.FORM + "$")))
                  .example(job("managedBy: my-operator"))
                  .value("my-operator", "self")),
          "");

  private ManagedByCel() {}
}
