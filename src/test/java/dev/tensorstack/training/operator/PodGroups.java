package dev.tensorstack.training.operator;

/** Kinds of pod groups that gang schedulers bring along, as far as tests need them. */
final class PodGroups {

  /** The PodGroup of the t9k scheduler. */
  static final String T9K =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata:
        name: podgroups.scheduler.tensorstack.dev
      spec:
        group: scheduler.tensorstack.dev
        names: {kind: PodGroup, plural: podgroups, singular: podgroup}
        scope: Namespaced
        versions:
        - name: v1beta1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties:
                    minMember: {type: integer}
                    queue: {type: string}
                    priority: {type: integer}
                status:
                  type: object
                  x-kubernetes-preserve-unknown-fields: true
      """;

  private PodGroups() {}
}
