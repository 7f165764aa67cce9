package dev.tensorstack.training.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a ledger finds fault with: jobs out of turn, half jobs, more in use than the quota. */
class GangLedgerTest {

  /** A cohort has 32 accelerators: two jobs of two pods with eight each. */
  private static final QueueSize SIZE =
      new QueueSize(8, 8, 3, 2, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private final GangLedger ledger = new GangLedger(SIZE);

  private GangLedgerTest() {
    for (int i = 0; i < 3; i++) {
      ledger.expect(new QueuedGang("g" + i, "queue", 0));
    }
  }

  private static JsonNode json(String text, Object... values) {
    try {
      return new ObjectMapper().readTree(text.formatted(values).replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static String second(int number) {
    return "2030-01-01T00:00:%02dZ".formatted(number);
  }

  private void job(int gang, int created) {
    ledger.job(json("{'metadata':{'name':'g%d','creationTimestamp':'%s'}}", gang, second(created)));
  }

  private void workload(int gang, int created, int admitted) {
    ledger.workload(
        json(
            "{'metadata':{'uid':'w%1$d','creationTimestamp':'%2$s',"
                + "'ownerReferences':[{'name':'g%1$d'}]},'status':{'conditions':["
                + "{'type':'Admitted','status':'True','lastTransitionTime':'%3$s'}]}}",
            gang, second(created), second(admitted)),
        1);
  }

  private void pod(int gang, int number, int created, String spec, String status) {
    ledger.pod(
        json(
            "{'metadata':{'uid':'p%1$d-%2$d','creationTimestamp':'%3$s','labels':"
                + "{'tensorstack.dev/owner-name':'g%1$d'}},"
                + "'spec':{%4$s},'status':{%5$s}}",
            gang, number, second(created), spec, status),
        false,
        1);
  }

  private void lifeOf(int gang, int created) {
    for (int i = 0; i < SIZE.podsPerGang(); i++) {
      pod(gang, i, created, "'nodeName':'n'", "'phase':'Running'");
    }
    for (int i = 0; i < SIZE.podsPerGang(); i++) {
      pod(gang, i, created, "'nodeName':'n'", "'phase':'Succeeded'");
    }
  }

  @Test
  void wholeJobsInTheirTurnAreFine() {
    for (int i = 0; i < 3; i++) {
      job(i, i);
      workload(i, i, 10 + i);
      lifeOf(i, 20 + i);
    }

    assertThat(ledger.violations()).isEmpty();
    assertThat(ledger.mostInUse(0)).isEqualTo(16);
  }

  @Test
  void aJobBeforeItsTurnIsNamed() {
    job(0, 0);
    job(1, 1);
    job(2, 2);
    workload(0, 0, 11);
    workload(1, 1, 10);
    workload(2, 2, 12);
    lifeOf(0, 13);
    lifeOf(1, 13);
    lifeOf(2, 11);

    assertThat(ledger.violations())
        .containsExactlyInAnyOrder(
            "g1 was admitted before g0",
            "g2 had a pod before it was admitted",
            "g2 was started before g0",
            "g2 was started before g1");
  }

  @Test
  void aHalfJobAndAPodWithoutANodeAreNamed() {
    workload(0, 0, 1);
    workload(1, 0, 1);
    workload(2, 0, 1);
    lifeOf(0, 1);
    lifeOf(1, 1);
    pod(2, 0, 1, "'nodeName':'n'", "'phase':'Succeeded'");
    pod(2, 1, 1, "", "'conditions':[{'type':'PodScheduled','reason':'Unschedulable'}]");

    assertThat(ledger.violations())
        .containsExactly(
            "g2 has a pod that no node can take",
            "g2 had 1 Workloads, 2 pods, of which 1 were bound");
  }

  @Test
  void moreInUseThanTheQuotaIsNamed() {
    for (int gang = 0; gang < 3; gang++) {
      workload(gang, 0, 1);
      for (int i = 0; i < SIZE.podsPerGang(); i++) {
        pod(gang, i, 1, "'nodeName':'n'", "'phase':'Running'");
      }
    }

    assertThat(ledger.violations())
        .containsExactly(
            "g2 40 accelerators in use in a cohort of 32",
            "g2 48 accelerators in use in a cohort of 32");
  }
}
