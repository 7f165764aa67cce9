package dev.tensorstack.training.controller;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;

/** How the operator asks for the deletion of objects. */
final class Deletion {

  private Deletion() {}

  /**
   * In the background; the uid makes sure that a namesake, perhaps somebody else's, is not meant.
   */
  static DeleteOptions of(String uid) {
    return new DeleteOptionsBuilder()
        .withApiVersion("v1")
        .withKind("DeleteOptions")
        .withPropagationPolicy("Background")
        .withNewPreconditions()
        .withUid(uid)
        .endPreconditions()
        .build();
  }
}
