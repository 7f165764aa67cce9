package dev.tensorstack.training.webhook;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.not;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.response.ValidatableResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The webhooks over HTTP, without a cluster. */
@QuarkusTest
class AdmissionHttpTest {

  private static final String PLAIN = "{replicaSpecs: [{type: worker, " + Reviews.TEMPLATE + "}]}";

  private static final String MASTER =
      "Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}";

  @TestHTTPResource(value = "/metrics", management = true)
  @SuppressWarnings("NullAway.Init")
  URL metricsPage;

  private static String review(JsonNode object) {
    ObjectNode request = Reviews.JSON.createObjectNode();
    request.put("uid", "705ab4f5-6393-11e8-b7cc-42010a800002");
    request
        .putObject("kind")
        .put("group", "batch.tensorstack.dev")
        .put("version", "v1beta1")
        .put("kind", "PyTorchTrainingJob");
    request.put("operation", "CREATE");
    request.put("namespace", "ns");
    request.put("name", object.path("metadata").path("name").asText());
    request.set("object", object);
    ObjectNode review = Reviews.JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    review.set("request", request);
    return review.toString();
  }

  private static ValidatableResponse post(String path, byte[] body) {
    return given().contentType("application/json").body(body).post(path).then();
  }

  private static ValidatableResponse post(String path, String body) {
    return post(path, body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aGoodJobIsAdmittedWithAPatch() throws Exception {
    String patch =
        post("/mutate", review(Reviews.job("mnist", PLAIN)))
            .statusCode(200)
            .body("apiVersion", equalTo("admission.k8s.io/v1"))
            .body("kind", equalTo("AdmissionReview"))
            .body("response.uid", equalTo("705ab4f5-6393-11e8-b7cc-42010a800002"))
            .body("response.allowed", equalTo(true))
            .body("response.patchType", equalTo("JSONPatch"))
            .body("response.auditAnnotations", hasKey("completed"))
            .extract()
            .path("response.patch");

    JsonNode operations = Reviews.JSON.readTree(Base64.getDecoder().decode(patch));
    assertThat(operations.findValuesAsText("path")).contains("/spec/runPolicy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mutate", "/validate"})
  void aWrongJobIsRefusedWithEveryCause(String path) {
    post(
            path,
            review(
                Reviews.job(
                    "Mnist",
                    "{runPolicy: {backoffLimit: -1}, replicaSpecs: [{type: w, "
                        + Reviews.TEMPLATE
                        + "}]}")))
        .statusCode(200)
        .body("response.allowed", equalTo(false))
        .body("response", not(hasKey("patch")))
        .body("response.status.code", equalTo(422))
        .body("response.status.reason", equalTo("Invalid"))
        .body("response.status.details.kind", equalTo("PyTorchTrainingJob"))
        .body("response.status.details.causes.field", hasItem("spec.runPolicy.backoffLimit"))
        .body("response.status.details.causes.field", hasItem("metadata.name"))
        .body("response.status.details.causes.reason", hasItem("FieldValueInvalid"))
        .body("response.auditAnnotations.refused-by", equalTo("job-name run-policy"));
  }

  private static String pyTorchJob(String name, String spec) {
    return review(
            Reviews.yaml(
                "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: '"
                    + name
                    + "', uid: 0e6e1f5c}, spec: "
                    + spec
                    + "}"))
        .replace(
            "\"group\":\"batch.tensorstack.dev\",\"version\":\"v1beta1\",\"kind\":\"PyTorchTrainingJob\"",
            "\"group\":\"kubeflow.org\",\"version\":\"v1\",\"kind\":\"PyTorchJob\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mutate/pytorchjobs", "/validate/pytorchjobs"})
  void aWrongPyTorchJobIsRefusedWithEveryCause(String path) {
    post(
            path,
            pyTorchJob(
                "Mnist",
                "{pytorchReplicaSpecs: {"
                    + MASTER
                    + ", Worker: {replicas: 0, template: {spec: {containers: [{name: c}]}}}},"
                    + " runPolicy: {backoffLimit: -1}}"))
        .statusCode(200)
        .body("response.uid", equalTo("705ab4f5-6393-11e8-b7cc-42010a800002"))
        .body("response.allowed", equalTo(false))
        .body("response", not(hasKey("patch")))
        .body("response.status.code", equalTo(422))
        .body("response.status.reason", equalTo("Invalid"))
        .body("response.status.details.kind", equalTo("PyTorchJob"))
        .body("response.status.details.group", equalTo("kubeflow.org"))
        .body("response.status.details.causes.field", hasItem("metadata.name"))
        .body("response.status.details.causes.field", hasItem("spec.runPolicy.backoffLimit"))
        .body(
            "response.status.details.causes.field",
            hasItem("spec.pytorchReplicaSpecs[Worker].replicas"))
        .body(
            "response.status.details.causes.field",
            hasItem("spec.pytorchReplicaSpecs[Worker].template.spec.containers"));
  }

  /** Its defaults are not stored: GitOps would see a difference. */
  @ParameterizedTest
  @ValueSource(strings = {"/mutate/pytorchjobs", "/validate/pytorchjobs"})
  void aGoodPyTorchJobIsAdmittedWithoutAPatch(String path) {
    post(path, pyTorchJob("mnist", "{pytorchReplicaSpecs: {" + MASTER + "}}"))
        .statusCode(200)
        .body("response.allowed", equalTo(true))
        .body("response", not(hasKey("patch")))
        .body("response", not(hasKey("patchType")));
  }

  @Test
  void eachKindHasPathsOfItsOwn() {
    String job = pyTorchJob("mnist", "{pytorchReplicaSpecs: {" + MASTER + "}}");
    for (String path : new String[] {"/mutate", "/validate"}) {
      post(path, job).statusCode(400).body("message", containsString("no admission review"));
      post(path + "/pytorchjobs", review(Reviews.job("mnist", PLAIN)))
          .statusCode(400)
          .body("message", containsString("no admission review"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/mutate/tfjobs",
        "/validate/tfjobs",
        "/mutate/PyTorchJobs",
        "/validate/pytorchtrainingjobs",
      })
  void aKindThatIsNotServedGets404WithWords(String path) {
    post(path, pyTorchJob("mnist", "{pytorchReplicaSpecs: {" + MASTER + "}}"))
        .statusCode(404)
        .body("kind", equalTo("Status"))
        .body("status", equalTo("Failure"))
        .body("code", equalTo(404))
        .body("reason", equalTo("NotFound"))
        .body("message", containsString("OPERATOR_KINDS"));
  }

  @Test
  void theDryRunWithoutAClusterIsNoObjection() {
    post("/validate", review(Reviews.job("mnist", PLAIN)))
        .statusCode(200)
        .body("response.allowed", equalTo(true));
  }

  /** Who reaches the port could else ask about the jobs and quotas of others. */
  @ParameterizedTest
  @ValueSource(strings = {"/mutate", "/validate"})
  void aReviewThatContradictsItselfIsRefusedAndNotOnlyAnError(String path) {
    String elsewhere =
        review(Reviews.job("mnist", PLAIN))
            .replace(
                "\"name\":\"mnist\",\"uid\"",
                "\"name\":\"mnist\",\"namespace\":\"victim\",\"uid\"");
    assertThat(elsewhere).contains("victim");

    post(path, elsewhere)
        .statusCode(200)
        .body("response.allowed", equalTo(false))
        .body("response", not(hasKey("patch")))
        .body("response.status.message", containsString("the request \"ns\""))
        .body("response.auditAnnotations.refused-by", equalTo("review"));
    post(path, review(Reviews.job("mnist", PLAIN)).replace("\"ns\"", "\"../../apis\""))
        .statusCode(200)
        .body("response.allowed", equalTo(false))
        .body("response.status.details.causes.field", hasItem("metadata.namespace"));
  }

  /**
   * Each holds a thread and room for a body; the API server's own calls would wait for a minute.
   */
  @Test
  void manyWhoSendSlowlyHoldUpOthersForSecondsOnly() throws IOException {
    String good = review(Reviews.job("mnist", PLAIN));
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 250; i++) {
        Socket socket = new Socket(metricsPage.getHost(), RestAssured.port);
        slow.add(socket);
        socket
            .getOutputStream()
            .write(
                ("POST /mutate HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
                    .getBytes(StandardCharsets.US_ASCII));
      }

      long begin = System.nanoTime();
      post("/mutate", good)
          .statusCode(429)
          .header("Retry-After", equalTo("1"))
          .body("reason", equalTo("TooManyRequests"));
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("it waits for its turn first")
          .isGreaterThan(Duration.ofSeconds(2));
      Awaitility.await("the slow ones are dropped")
          .atMost(Duration.ofSeconds(30))
          .until(() -> post("/mutate", good).extract().statusCode() == 200);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
    for (int i = 0; i < 300; i++) {
      post("/mutate", good).statusCode(200);
    }
  }

  static Stream<byte[]> hostile() {
    byte[] noise = new byte[3_000_000];
    new java.util.Random(7).nextBytes(noise);
    byte[] zeros = new byte[3_000_000];
    return Stream.of(
        new byte[0],
        "not json".getBytes(StandardCharsets.UTF_8),
        noise,
        zeros,
        "[".repeat(3_000_000).getBytes(StandardCharsets.UTF_8),
        review(Reviews.job("x", PLAIN))
            .replace("705ab4f5-6393-11e8-b7cc-42010a800002", "")
            .getBytes(StandardCharsets.UTF_8),
        review(Reviews.job("x", PLAIN))
            .replace("admission.k8s.io/v1", "v9")
            .getBytes(StandardCharsets.UTF_8),
        review(Reviews.job("x", PLAIN))
            .replace("batch.tensorstack.dev", "apps")
            .getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void whatIsNoReviewGetsAClear400(byte[] body) {
    for (String path : new String[] {"/mutate", "/validate"}) {
      String answer =
          post(path, body)
              .statusCode(400)
              .body("kind", equalTo("Status"))
              .body("code", equalTo(400))
              .body("message", containsString("no admission review"))
              .extract()
              .asString();
      assertThat(answer).hasSizeLessThan(1_000).doesNotContain("\tat ");
    }
  }

  /** To fail would be no answer, and {@code failurePolicy: Ignore} makes a yes of that. */
  @ParameterizedTest
  @ValueSource(strings = {"/mutate", "/validate"})
  void aJobBeyondAllReasonIsRefusedAndNotOnlyAnError(String path) {
    String job = review(Reviews.job("x", PLAIN));
    String nested = "{\"a\":".repeat(5_000) + "1" + "}".repeat(5_000);
    String template = "\"template\":{\"spec\":{";

    post(path, job.replace(template, template + "\"a\":" + nested + ","))
        .statusCode(200)
        .body("response.uid", equalTo("705ab4f5-6393-11e8-b7cc-42010a800002"))
        .body("response.allowed", equalTo(false))
        .body("response.status.code", equalTo(422))
        .body("response.status.message", containsString("nested deeper than 100 levels"))
        .body("response.auditAnnotations.refused-by", equalTo("readable"));
    post(path, job.replace(template, template + "\"" + "k".repeat(50_001) + "\":1,"))
        .statusCode(200)
        .body("response.allowed", equalTo(false))
        .body("response.status.details.causes.field", hasItem("spec.replicaSpecs[0].template.spec"))
        .body("response.status.message", containsString("50001 characters, more than 1000"));
  }

  /** It is not read, so a client that sends it all would meet a closed connection. */
  @Test
  void aBodyAboveFourMegabytesIsRefusedBeforeItIsSent() throws IOException {
    try (Socket socket = new Socket(metricsPage.getHost(), RestAssured.port)) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              ("POST /mutate HTTP/1.1\r\nHost: localhost\r\n"
                      + "Content-Type: application/json\r\nContent-Length: 50000000\r\n\r\n[[[")
                  .getBytes(StandardCharsets.US_ASCII));
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      assertThat(answer.readLine()).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void anotherContentTypeIsRefused() {
    given().contentType("text/xml").body("<a/>").post("/mutate").then().statusCode(415);
  }

  @Test
  void otherMethodsAndPathsAreRefused() {
    given().get("/mutate").then().statusCode(405);
    given().contentType("application/json").body("{}").post("/elsewhere").then().statusCode(404);
  }

  @Test
  void answersAreCountedAndTimed() {
    aWrongJobIsRefusedWithEveryCause("/mutate");
    aWrongPyTorchJobIsRefusedWithEveryCause("/mutate/pytorchjobs");

    String metrics = given().get(metricsPage).asString();

    assertThat(metrics)
        .contains("pytorchtrainingjob_admission_requests_total{")
        .contains("webhook=\"mutate\"")
        .contains(
            "pytorchtrainingjob_admission_rejections_total{kind=\"PyTorchTrainingJob\",rule=\"run-policy\"}")
        .contains(
            "pytorchtrainingjob_admission_rejections_total{kind=\"PyTorchJob\",rule=\"run-policy\"}")
        .contains(
            "pytorchtrainingjob_admission_duration_seconds_bucket{kind=\"PyTorchTrainingJob\",webhook=\"mutate\"");
  }
}
