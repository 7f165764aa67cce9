package dev.tensorstack.training.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.engine.ReportReceiver;
import dev.tensorstack.training.progress.ReportAnswer.Result;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who may report, for which job, and how often. */
class ReportHandlerTest {

  private final List<String> received = new ArrayList<>();
  private final Set<String> missedFrom = new HashSet<>();
  private final List<String> turnedAway = new ArrayList<>();
  private final List<String> reviewed = new ArrayList<>();
  private int missed;
  private ReportReceiver.Answer receiver = ReportReceiver.Answer.ACCEPTED;

  private final ReportHandler handler =
      new ReportHandler(
          Map.of(
              "pytorchtrainingjobs",
              new ReportReceiver() {
                @Override
                public Answer receive(
                    String namespace, String job, String pod, String podUid, Content content) {
                  received.add(namespace + "/" + job + " " + pod + " " + content.percent());
                  return receiver;
                }

                @Override
                public void turnedAway(String namespace, String job, String pod, String podUid) {
                  turnedAway.add(namespace + "/" + job + " " + pod);
                }
              }),
          new TokenReviews(
              token -> {
                reviewed.add(token);
                if (token.equals("away")) {
                  throw new KubernetesClientException("connection refused");
                }
                return token.startsWith("good")
                    ? """
                      {"status": {"authenticated": true,
                        "audiences": ["progress.batch.tensorstack.dev"],
                        "user": {"username": "system:serviceaccount:team:default", "extra": {
                          "authentication.kubernetes.io/pod-name": ["p"],
                          "authentication.kubernetes.io/pod-uid": ["%s"]}}}}
                      """
                        .formatted(token)
                    : "{\"status\": {}}";
              },
              Clock.systemUTC()),
          new MissedReports() {
            @Override
            public void ofAnybody() {
              missed++;
            }

            @Override
            public void from(String address) {
              missedFrom.add(address);
            }
          });

  private Result send(String plural, String namespace, @Nullable String token, String body) {
    return handler
        .answer(
            new ReportRequest(
                plural,
                namespace,
                "job",
                token,
                body.getBytes(StandardCharsets.UTF_8),
                "10.0.0.1",
                false))
        .result();
  }

  private Result send(@Nullable String token) {
    return send(
        "pytorchtrainingjobs", "team", token, "{\"trainerStatus\": {\"progressPercentage\": 5}}");
  }

  @Test
  void thePodsReportGoesToItsJob() {
    assertThat(send("good")).isEqualTo(Result.ACCEPTED);
    assertThat(received).containsExactly("team/job p 5");
  }

  @Test
  void withoutProofNothingIsTaken() {
    assertThat(send(null)).isEqualTo(Result.UNAUTHENTICATED);
    assertThat(send("")).isEqualTo(Result.UNAUTHENTICATED);
    assertThat(send("x".repeat(20_000))).isEqualTo(Result.UNAUTHENTICATED);
    assertThat(send("forged")).isEqualTo(Result.UNAUTHENTICATED);
    assertThat(missed).as("nobody who was entitled was turned away").isZero();
    assertThat(send("away")).isEqualTo(Result.UNAVAILABLE);
    assertThat(missed).isEqualTo(1);
    assertThat(received).isEmpty();
  }

  @Test
  void aPodOfAnotherNamespaceOrJobIsForeign() {
    assertThat(send("pytorchtrainingjobs", "other", "good", "{\"trainerStatus\": {}}"))
        .isEqualTo(Result.FOREIGN);
    assertThat(received).isEmpty();
    receiver = ReportReceiver.Answer.NOT_ITS_POD;
    assertThat(send("good2")).isEqualTo(Result.FOREIGN);
  }

  @Test
  void otherAnswersAreTold() {
    assertThat(send("statefulsets", "team", "good", "{}")).isEqualTo(Result.NOT_FOUND);
    assertThat(send("pytorchtrainingjobs", "team", "good", "{}")).isEqualTo(Result.MALFORMED);
    receiver = ReportReceiver.Answer.NO_JOB;
    assertThat(send("good3")).isEqualTo(Result.NOT_FOUND);
    receiver = ReportReceiver.Answer.NOT_WANTED;
    assertThat(send("good4")).isEqualTo(Result.NOT_WANTED);
  }

  @Test
  void aPodThatReportsTooOftenIsTold() {
    for (int i = 0; i < 20; i++) {
      assertThat(send("good")).isEqualTo(Result.ACCEPTED);
    }
    assertThat(send("good")).isEqualTo(Result.TOO_MANY);
    assertThat(turnedAway).as("its job's step may have been in it").hasSize(1);
    assertThat(missed).as("of no other job").isZero();
    assertThat(send("good-other")).isEqualTo(Result.ACCEPTED);
  }

  @Test
  void whoSendsTokensThatProveNothingCostsTheApiServerLittle() {
    for (int i = 0; i < 50; i++) {
      Result unused = send("forged-" + i);
    }
    assertThat(reviewed).hasSize(10);
    assertThat(send("forged-99")).isEqualTo(Result.TOO_MANY);
    assertThat(missedFrom).as("it could have been the first report of a pod").hasSize(1);
    assertThat(missed).as("of nobody elsewhere").isZero();
  }

  @Test
  void aTokenThatIsKnownToProveNothingKeepsNobodyElseOut() {
    for (int i = 0; i < 50; i++) {
      assertThat(send("forged")).isEqualTo(Result.UNAUTHENTICATED);
    }
    assertThat(reviewed).hasSize(1);
    assertThat(send("good-new")).isEqualTo(Result.ACCEPTED);
  }
}
