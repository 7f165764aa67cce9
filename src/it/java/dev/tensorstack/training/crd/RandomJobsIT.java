package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.StoredJobs.completed;
import static dev.tensorstack.training.crd.StoredJobs.spec;
import static dev.tensorstack.training.crd.StoredJobs.violations;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.operator.OperatorProcess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Random jobs and changes, sent to an API server without webhook and operator: what its CRD and its
 * policy say is what the rules of admission say. They are put together of pieces of jobs of which
 * each breaks one rule, or none.
 */
class RandomJobsIT {

  private static final int JOBS = 600;
  private static final int CHANGES = 300;
  private static final double TAKEN_AWAY = 0.3;

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<JsonNode> pieces =
      Stream.concat(
              CelIT.VALID.stream(),
              Stream.concat(
                  CelIT.INVALID.stream(),
                  CrdRules.rules().stream()
                      .flatMap(
                          rule ->
                              Stream.of(
                                  rule.example(),
                                  rule.before() == null ? rule.example() : rule.before()))))
          .map(StoredJobs::spec)
          .toList();

  @Test
  void theApiServerSaysOfRandomJobsWhatAdmissionSays() {
    try (ControlPlane controlPlane =
        ControlPlane.builder().controllerManager(false).scheduler(false).start()) {
      OperatorProcess.installCrds(controlPlane.client());
      StoredJobs jobs =
          new StoredJobs(controlPlane.client(), controlPlane.createNamespace("random"));
      jobs.awaitPolicy();
      int refused = 0;
      for (int i = 0; i < JOBS; i++) {
        JsonNode spec = random();
        List<StoredJobs.Refusal> refusals = jobs.tryToCreate(StoredJobs.job("mnist", spec));
        assertSame(refusals, violations("mnist", spec, null), "seed " + seed + ", job " + spec);
        refused += refusals.isEmpty() ? 0 : 1;
      }
      assertThat(refused).as("seed %s", seed).isBetween(JOBS / 10, JOBS * 9 / 10);
      for (int i = 0; i < CHANGES; i++) {
        JsonNode old = spec(CelIT.VALID.get(random.nextInt(CelIT.VALID.size())));
        JsonNode stored = random.nextBoolean() ? old : completed(old);
        JsonNode now = random.nextBoolean() ? random() : mixed(old, random());
        sprinkleNulls(random.nextBoolean() ? stored : now);
        assertThat(jobs.create(StoredJobs.job("mnist", stored))).isEmpty();
        List<StoredJobs.Refusal> refusals = jobs.update("mnist", now);
        jobs.delete("mnist");
        assertSame(
            refusals,
            violations("mnist", now, old),
            "seed " + seed + ", from " + stored + " to " + now);
      }
    }
  }

  /** Nobody refuses what the other one accepts, but for what CEL cannot say; words are the same. */
  private static void assertSame(
      List<StoredJobs.Refusal> refusals, List<Violation> violations, String what) {
    boolean schemaSaysMore =
        refusals.stream()
            .anyMatch(
                refusal ->
                    !refusal.reason().isEmpty()
                        && violations.stream().noneMatch(refusal::saysTheSameAs));
    if (schemaSaysMore) {
      return;
    }
    assertThat(refusals)
        .as(what)
        .allSatisfy(
            refusal ->
                assertThat(violations)
                    .anyMatch(
                        violation ->
                            refusal.saysTheSameAs(violation) || isWithin(refusal, violation)));
    List<Violation> whole =
        violations.stream()
            .filter(violation -> CrdRules.of(violation.rule()).otherwise().isEmpty())
            .toList();
    if (refusals.stream().anyMatch(refusal -> !refusal.reason().isEmpty())) {
      // The API server asks the policy only when the schema refuses nothing.
      return;
    }
    assertThat(whole)
        .as(what)
        .allSatisfy(
            violation ->
                assertThat(refusals).anyMatch(refusal -> refusal.saysTheSameAs(violation)));
  }

  /** Of a block that has changed, the API server tells of its fields as well. */
  private static boolean isWithin(StoredJobs.Refusal refusal, Violation violation) {
    return refusal.field().startsWith(violation.field() + ".")
        && refusal.message().equals(violation.message());
  }

  private JsonNode random() {
    return mixed(piece(), piece());
  }

  private JsonNode piece() {
    return pieces.get(random.nextInt(pieces.size()));
  }

  /** Each block of one or of the other job; some fields are missing then. */
  private JsonNode mixed(JsonNode one, JsonNode other) {
    ObjectNode mixed = one.deepCopy();
    Set<String> names = new LinkedHashSet<>();
    one.fieldNames().forEachRemaining(names::add);
    other.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      if (random.nextBoolean() && other.has(name)) {
        mixed.set(name, other.get(name).deepCopy());
      } else if (!one.has(name) && random.nextBoolean()) {
        mixed.remove(name);
      }
    }
    if (random.nextDouble() < TAKEN_AWAY) {
      takeAway(mixed);
    }
    return mixed;
  }

  private void takeAway(ObjectNode spec) {
    List<ObjectNode> blocks = new ArrayList<>();
    collect(spec, blocks);
    ObjectNode block = blocks.get(random.nextInt(blocks.size()));
    List<String> names = new ArrayList<>();
    block.fieldNames().forEachRemaining(names::add);
    names.removeAll(new HashSet<>(List.of("type", "template", "replicaSpecs", "name")));
    if (!names.isEmpty()) {
      block.remove(names.get(random.nextInt(names.size())));
    }
  }

  /** As manifests have them that are made from types: a null is no value. */
  private void sprinkleNulls(JsonNode spec) {
    for (JsonNode template : spec.findValues("template")) {
      if (template instanceof ObjectNode object && random.nextBoolean()) {
        object.withObject("/metadata").putNull("creationTimestamp");
      }
    }
    for (JsonNode pod : spec.findParents("containers")) {
      ((ObjectNode) pod).putNull("volumes");
      for (JsonNode container : pod.path("containers")) {
        if (container instanceof ObjectNode object && random.nextBoolean()) {
          object.putNull("volumeMounts").putNull("env");
        }
      }
    }
  }

  private static void collect(JsonNode node, List<ObjectNode> blocks) {
    if (node instanceof ObjectNode object) {
      blocks.add(object);
      object.forEach(child -> collect(child, blocks));
    } else if (node instanceof ArrayNode list) {
      list.forEach(child -> collect(child, blocks));
    }
  }
}
