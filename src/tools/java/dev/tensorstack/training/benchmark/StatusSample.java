package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A job and its status as the operator has written it when all pods ran.
 *
 * @param title for people
 * @param job what a user submits
 * @param status what the operator has made of it
 */
record StatusSample(String title, ObjectNode job, JsonNode status) {

  /** How many bytes the status has as JSON. */
  int statusBytes() {
    return status.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
  }
}
