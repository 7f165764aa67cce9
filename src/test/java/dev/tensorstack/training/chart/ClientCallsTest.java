package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Where the operator calls the API server. Each of these calls is made in {@link RightsIT}, by an
 * operator that has the chart's rights: a right that is missing is noticed there, or by users.
 */
class ClientCallsTest {

  /** What sends a request; the watches of the framework are made by {@code from}. */
  private static final Set<String> REQUESTS =
      Set.of(
          "get",
          "getLog",
          "list",
          "create",
          "update",
          "edit",
          "patch",
          "delete",
          "evict",
          "replace",
          "scale",
          "raw",
          "serverSideApply",
          "createOrReplace",
          "patchStatus",
          "updateStatus",
          "editStatus",
          "getApiResources",
          "getApiGroup",
          "inform",
          "runnableInformer",
          "watch",
          "sendAsync",
          "from");

  private static final String CLIENT = "io.fabric8.kubernetes.client.";
  private static final String WATCHES =
      "io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration";

  @Test
  void eachClassThatCallsTheApiServerIsKnownToTheTestOfRights() {
    JavaClasses operator =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.tensorstack.training");
    SortedMap<String, Set<String>> calls = new TreeMap<>();
    for (JavaClass type : operator) {
      for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
        String owner = call.getTargetOwner().getName();
        if (REQUESTS.contains(call.getName())
            && (owner.startsWith(CLIENT) || owner.equals(WATCHES))) {
          calls
              .computeIfAbsent(outermost(type).getSimpleName(), first -> new TreeSet<>())
              .add(call.getName());
        }
      }
    }

    assertThat(calls)
        .as("make a new call in RightsIT, give its right in the chart, then list it here")
        .isEqualTo(
            new TreeMap<>(
                Map.ofEntries(
                    // Who may read metrics over HTTPS: SecureMetricsIT.
                    Map.entry("AccessReviews", Set.of("raw")),
                    // Pods and Services; a name that is taken is looked up.
                    Map.entry("ActionExecutor", Set.of("create", "get")),
                    // A dry run of a pod; the job behind a review of its scale.
                    Map.entry("ApiServer", Set.of("sendAsync")),
                    // Lists and watches of jobs, pods, Services and what stands beside them.
                    Map.entry("DependentObserver", Set.of("from")),
                    Map.entry("JobObserver", Set.of("from")),
                    // The status of a Workload: QueueRightsIT.
                    Map.entry("DependentWriter", Set.of("get", "patch", "serverSideApply")),
                    Map.entry("Deletion", Set.of("raw")),
                    // A reason that comes again changes its event.
                    Map.entry("EventWriter", Set.of("create", "edit", "get")),
                    Map.entry("LeaderElection", Set.of("get", "update")),
                    // A job before something of it is deleted.
                    Map.entry("JobCacheCheck", Set.of("raw")),
                    // The pods of a job that another process has started.
                    Map.entry("PodCacheCheck", Set.of("list")),
                    // The pods of a TensorBoard that is not ready; pods are listed anyway.
                    Map.entry("PriorityClasses", Set.of("list")),
                    // ResourceFlavors and classes of priority: QueueRightsIT.
                    Map.entry("QueueFactsSource", Set.of("list")),
                    Map.entry("QueueMadeEntries", Set.of("list")),
                    // Volcano's queues, and the events of PodGroups that wait.
                    Map.entry("GangQueues", Set.of("list")),
                    Map.entry("GangFactsSource", Set.of("list")),
                    Map.entry("TensorboardPods", Set.of("list")),
                    Map.entry("LostNodes", Set.of("list", "runnableInformer")),
                    // Lease, webhooks and their endpoints of Kubeflow's Training Operator.
                    Map.entry("NoTrainingOperator", Set.of("get", "list")),
                    // An event of the operator's own pod.
                    Map.entry("OperatorEvents", Set.of("create")),
                    // These four need no right: everybody may ask what is served.
                    Map.entry("CrdIsServed", Set.of("getApiResources")),
                    Map.entry("CrdKeepsLedger", Set.of("raw")),
                    Map.entry("OperatorLifecycle", Set.of("raw")),
                    Map.entry("PodGroupSources", Set.of("getApiResources")),
                    // The end of the log of a pod that has failed and does not say why.
                    Map.entry("PodLogs", Set.of("getLog")),
                    // Warnings about pods that do not start.
                    Map.entry("PodEventReader", Set.of("list")),
                    // A pod that was given up with its node leaves the Service; those of a
                    // training that hangs are ended by their kubelets.
                    Map.entry("PodPatch", Set.of("patch")),
                    // Since when reports are heard, in the Lease.
                    Map.entry("HeardReports", Set.of("patch")),
                    // Whose token a report of progress has, and what a log says of it.
                    Map.entry("TokenReviews", Set.of("raw")),
                    Map.entry("TrainingLogs", Set.of("raw")),
                    // A certificate that is damaged is replaced.
                    Map.entry("SecretCertificates", Set.of("create", "get", "update")),
                    Map.entry("StatusWriter", Set.of("raw")),
                    // A job that came without the webhooks gets its count through scale.
                    Map.entry("ScaleReplicasWriter", Set.of("sendAsync")),
                    // Created and deleted only outside of a cluster, where no chart gives rights.
                    Map.entry(
                        "WebhookConfigurations", Set.of("create", "delete", "get", "update")))));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ClientCallsTest::outermost).orElse(type);
  }
}
