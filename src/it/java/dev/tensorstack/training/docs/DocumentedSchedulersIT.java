package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.schedulers.Coscheduling;
import dev.tensorstack.training.schedulers.Kueue;
import dev.tensorstack.training.schedulers.Volcano;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands of the pages of queues and gangs, with the schedulers themselves. */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentedSchedulersIT {

  private static final Set<String> HAS = Set.of("Kueue", "Volcano", "coscheduling");

  /** Of its own, with all of them. */
  private final ControlPlane plane =
      ControlPlane.builder().podGroups(true).memoryForTime(true).start();

  private Kueue kueue;
  private Volcano volcano;
  private Coscheduling coscheduling;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private PageCommands commands;

  @BeforeAll
  void start() throws IOException {
    kueue = Kueue.start(plane);
    volcano = Volcano.start(plane);
    coscheduling = Coscheduling.start(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(),
            FakeKubeletOptions.nodes(4)
                .namePrefix("pages")
                .resource("cpu", "8")
                .resource("nvidia.com/gpu", "8")
                .label("kubernetes.io/os", "linux")
                .label("nvidia.com/gpu.present", "true")
                .label("topology.example.com/block", "b1")
                .label("topology.example.com/rack", "r1"));
    OperatorProcess.installCrds(plane.client());
    operator = OperatorProcess.startWithWebhooks(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
    commands = new PageCommands(plane, HAS, Path.of("target/documented-schedulers.txt"));
  }

  @AfterAll
  void stop() {
    try (plane) {
      operator.close();
      kubelet.close();
      coscheduling.close();
      volcano.close();
      kueue.close();
    }
  }

  static List<Page> pages() {
    return Page.all().stream()
        .filter(page -> page.blocks().stream().anyMatch(block -> block.needs() != null))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCommandsOfAPageDoWhatItSays(Page page, @TempDir Path folder)
      throws IOException, InterruptedException {
    String namespace = plane.createNamespace("page");
    try {
      commands.behave(page, namespace, kubelet);
      commands.run(page, namespace, folder);
    } finally {
      plane.kubectl("delete", "pj,pytorchjobs", "--all", "-n", namespace).orThrow();
    }
  }

  @Test
  void noPageNeedsWhatIsNotThere() {
    assertThat(pages())
        .isNotEmpty()
        .flatExtracting(Page::blocks)
        .extracting(CodeBlock::needs)
        .filteredOn(needs -> needs != null)
        .isSubsetOf(HAS);
  }
}
