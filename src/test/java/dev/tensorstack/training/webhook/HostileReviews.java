package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.kind.trainingjob.admission.Manifests;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Makes reviews that somebody sends who means no good: nested, huge, forged, with exponents. Half
 * of them are such as the API server itself sends for an object that a user has written; the others
 * are whatever reaches the port.
 */
final class HostileReviews {

  private static final List<String> EXPONENTS =
      List.of(
          "1e10000000",
          "1e300000000",
          "-1E-99999999",
          "1e2147483647",
          "1e2147483648",
          "1e-2147483649",
          "9e99999999999999999999",
          "0e300000000",
          "1e19",
          "1e",
          ".",
          "1Ei",
          "999999999999999999999E",
          "0.000000000000000000000000000000001n",
          "Infinity",
          "NaN");

  private static final List<String> NUMBERS =
      List.of(
          "1e400",
          "-1e400",
          "1e-400",
          "1e99999",
          "1e999999999",
          "1.5e-999999999",
          "123456789e300000000",
          "2147483647",
          "2147483648",
          "-2147483649",
          "9223372036854775808",
          "-0",
          "0.1",
          "1E+2");

  private static final List<String> WORDS =
      List.of(
          "",
          "PyTorchTrainingJob",
          "AdmissionReview",
          "Pod",
          "Scale",
          "apps",
          "v1",
          "v9",
          "admission.k8s.io/v1beta1",
          "batch.tensorstack.dev",
          "batch.tensorstack.dev/v9",
          "kube-system",
          "../../api/v1/secrets",
          "ns\u0000",
          "a/b",
          "status",
          "scale",
          "CREATE",
          "UPDATE",
          "DELETE",
          "CONNECT",
          "create",
          "\u202e\u2028\ud83d\ude00",
          "true",
          "%s%n$1{0}");

  private static final List<Integer> DEPTHS =
      List.of(30, 95, 99, 100, 101, 103, 104, 300, 999, 1_000, 1_001, 5_000, 20_000);

  private final Random random;
  private final List<JsonNode> manifests = new ArrayList<>();
  private final List<String> fragments = new ArrayList<>();

  HostileReviews(Random random) {
    this.random = random;
    KubernetesSerialization yaml = new KubernetesSerialization();
    for (String name : Manifests.names()) {
      manifests.add(yaml.unmarshal(Manifests.text(name), JsonNode.class));
    }
  }

  /**
   * One review.
   *
   * @param body what is sent
   * @param uid the review's uid
   * @param fromTheApiServer whether the API server itself could send it: then it has to be answered
   */
  record Review(byte[] body, String uid, boolean fromTheApiServer) {}

  /** An ordinary one. */
  Review harmless() {
    ObjectNode review = review("harmless");
    return new Review(review.toString().getBytes(StandardCharsets.UTF_8), "harmless", true);
  }

  Review next() {
    fragments.clear();
    String uid = "uid-" + Long.toHexString(random.nextLong());
    ObjectNode review = review(uid);
    ObjectNode request = (ObjectNode) review.get("request");
    boolean genuine = random.nextBoolean();
    int mistakes = 1 + random.nextInt(3);
    for (int i = 0; i < mistakes; i++) {
      if (genuine) {
        boolean old = one(10) && request.hasNonNull("oldObject");
        JsonNode spec = request.get(old ? "oldObject" : "object").get("spec");
        if (one(3)) {
          spoilQuantities(spec);
        } else {
          spoil(spec, true);
        }
      } else {
        forge(request);
        spoil(one(3) ? request : review, false);
      }
    }
    String text = review.toString();
    for (int i = 0; i < fragments.size(); i++) {
      text = text.replace("\"@@" + i + "@@\"", fragments.get(i));
    }
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    if (!genuine && one(10)) {
      body = broken(body);
    }
    return new Review(body, uid, genuine);
  }

  private ObjectNode review(String uid) {
    JsonNode job = manifest();
    ObjectNode request = Reviews.JSON.createObjectNode();
    request.put("uid", uid);
    request
        .putObject("kind")
        .put("group", "batch.tensorstack.dev")
        .put("version", "v1beta1")
        .put("kind", "PyTorchTrainingJob");
    request
        .putObject("resource")
        .put("group", "batch.tensorstack.dev")
        .put("version", "v1beta1")
        .put("resource", "pytorchtrainingjobs");
    request.put("namespace", job.path("metadata").path("namespace").asText());
    request.put("name", job.path("metadata").path("name").asText());
    request.put("operation", "CREATE").set("object", job);
    request.putNull("oldObject");
    if (one(3)) {
      request.put("operation", "UPDATE");
      request.set("oldObject", one(2) ? job.deepCopy() : renamed(manifest(), job));
    }
    ObjectNode review = Reviews.JSON.createObjectNode();
    review.put("kind", "AdmissionReview").put("apiVersion", "admission.k8s.io/v1");
    review.set("request", request);
    return review;
  }

  private JsonNode manifest() {
    return manifests.get(random.nextInt(manifests.size())).deepCopy();
  }

  private static JsonNode renamed(JsonNode other, JsonNode job) {
    ((ObjectNode) other).set("metadata", job.path("metadata").deepCopy());
    return other;
  }

  /** Puts something where it does not belong, anywhere below a node. */
  private void spoil(JsonNode top, boolean valid) {
    JsonNode at = top;
    while (!one(4)) {
      List<JsonNode> below = new ArrayList<>();
      at.forEach(child -> below.add(child.isContainerNode() ? child : null));
      below.removeIf(child -> child == null || child.isEmpty());
      if (below.isEmpty()) {
        break;
      }
      at = below.get(random.nextInt(below.size()));
    }
    if (at instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      if (names.isEmpty() || one(4)) {
        object.put(name(), fragment(valid));
      } else {
        String name = names.get(random.nextInt(names.size()));
        if (one(8)) {
          object.remove(name);
        } else if (object.get(name).isTextual() && one(2)) {
          object.put(name, anyOf(one(2) ? WORDS : EXPONENTS));
        } else {
          object.put(name, fragment(valid));
        }
      }
    } else if (at instanceof ArrayNode array) {
      if (array.isEmpty() || one(3)) {
        array.add(fragment(valid));
      } else {
        array.set(random.nextInt(array.size()), fragment(valid));
      }
    }
  }

  /** Says something else than the object does, or than an API server would. */
  private void forge(ObjectNode request) {
    switch (random.nextInt(8)) {
      case 0 -> {
        request.put("subResource", "scale").put("operation", "UPDATE");
        request.putObject("kind").put("group", "autoscaling").put("kind", "Scale");
        request.putObject("object").putObject("spec").put("replicas", random.nextInt());
        request.putObject("oldObject");
      }
      case 1 -> request.put("namespace", anyOf(WORDS));
      case 2 -> request.set("oldObject", manifest());
      case 3 -> request.putNull("object");
      case 4 -> request.put("operation", anyOf(List.of("DELETE", "CONNECT", "UPDATE")));
      case 5 -> request.remove("uid");
      default -> {
        // What spoils it is enough.
      }
    }
  }

  /** Puts a quantity where quantities are added up. */
  private void spoilQuantities(JsonNode spec) {
    for (JsonNode type : spec.path("replicaSpecs")) {
      for (JsonNode container : type.at("/template/spec/containers")) {
        if (container instanceof ObjectNode object && !one(3)) {
          ObjectNode resources =
              object.get("resources") instanceof ObjectNode given
                  ? given
                  : object.putObject("resources");
          resources
              .putObject(one(2) ? "limits" : "requests")
              .put(anyOf(List.of("cpu", "memory", "nvidia.com/gpu")), anyOf(EXPONENTS));
        }
      }
    }
  }

  private String name() {
    return switch (random.nextInt(4)) {
      case 0 -> "k".repeat(anyOf(List.of(1, 999, 1_000, 1_001, 50_000, 50_001, 300_000)));
      case 1 -> anyOf(WORDS);
      case 2 -> anyOf(List.of("cpu", "memory", "limits", "requests", "sizeLimit", "divisor"));
      default -> "x" + random.nextInt(5);
    };
  }

  /** A place for text that no tree can hold, or that a tree would take long to make. */
  private String fragment(boolean valid) {
    fragments.add(valid || !one(10) ? value() : invalid());
    return "@@" + (fragments.size() - 1) + "@@";
  }

  private String value() {
    return switch (random.nextInt(12)) {
      case 0 -> nested("{\"a\":", "1", "}");
      case 1 -> nested("[", "", "]");
      case 2 -> nested("{\"containers\":[{\"env\":[", "", "]}]}");
      case 3 -> "[" + "{},".repeat(size(20_000)) + "1]";
      case 4 -> "{" + members(size(5_000)) + "\"z\":1}";
      case 5 ->
          "\"" + anyOf(List.of("x", "0", "9", "ü", "\\u0000", " ")).repeat(size(50_000)) + "\"";
      case 6 -> anyOf(NUMBERS);
      case 7 -> "1" + "0".repeat(size(20_000));
      case 8 -> "\"" + anyOf(EXPONENTS) + "\"";
      case 9 ->
          "{\"limits\":{\"cpu\":\"" + anyOf(EXPONENTS) + "\",\"nvidia.com/gpu\":\"1e300000000\"}}";
      case 10 -> anyOf(List.of("null", "true", "\"\"", "[]", "{}", "[null]", "-1", "\"\\ud800\""));
      default ->
          "{\"amount\":\""
              + "9".repeat(size(3_000))
              + "\",\"format\":\""
              + anyOf(EXPONENTS)
              + "\"}";
    };
  }

  private String nested(String begin, String inside, String end) {
    int depth = anyOf(DEPTHS);
    return begin.repeat(depth) + inside + end.repeat(depth);
  }

  private String members(int count) {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < count; i++) {
      members.append("\"m").append(i).append("\":").append(i % 7).append(',');
    }
    return members.toString();
  }

  /** Something that is no JSON, or says a thing twice. */
  private String invalid() {
    return switch (random.nextInt(6)) {
      case 0 -> "NaN";
      case 1 -> "1e99999999999";
      case 2 -> "{\"a\":1";
      case 3 -> "1,\"request\":{\"uid\":\"another\"}";
      case 4 -> "{\"namespace\":\"a\",\"namespace\":\"b\"}";
      default -> "'x'";
    };
  }

  private byte[] broken(byte[] body) {
    byte[] broken = one(2) ? Arrays.copyOf(body, random.nextInt(body.length)) : body;
    for (int i = 0; i < 3 && broken.length > 0; i++) {
      broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
    }
    return one(5)
        ? new String(broken, StandardCharsets.ISO_8859_1)
            .toUpperCase(Locale.ROOT)
            .getBytes(StandardCharsets.UTF_16BE)
        : broken;
  }

  /** Mostly small. */
  private int size(int most) {
    return (int) Math.pow(most, random.nextDouble());
  }

  private boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  private <T> T anyOf(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
