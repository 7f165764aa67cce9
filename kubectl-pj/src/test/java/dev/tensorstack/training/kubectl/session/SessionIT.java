package dev.tensorstack.training.kubectl.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.localnode.LocalNode;
import dev.tensorstack.training.localnode.LocalNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user does in a shell. The test plays the operator; a node runs the pods as processes, so
 * that their logs are real.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SessionIT {

  private static final Path CRDS = Path.of("../src/main/kubernetes");

  private final ControlPlane controlPlane = ControlPlane.start();
  private final String namespace;
  private final LocalNode node;
  private final Stage stage;
  private final Plugin plugin;
  private final Path folder;

  SessionIT(@TempDir Path folder) {
    this.folder = folder;
    for (String crd :
        List.of("pytorchtrainingjobs.batch.tensorstack.dev", "pytorchjobs.kubeflow.org")) {
      assertThat(
              controlPlane
                  .kubectl("create", "-f", CRDS.resolve(crd + "-v1.yml").toString())
                  .exitCode())
          .isZero();
      controlPlane.awaitCrd(crd);
    }
    namespace = controlPlane.createNamespace("session");
    node = LocalNode.start(controlPlane.client(), LocalNodeOptions.named("n1"));
    stage = new Stage(controlPlane, namespace);
    plugin = new Plugin(controlPlane.kubeconfig(), folder);
  }

  @AfterAll
  void stop() {
    node.close();
    controlPlane.close();
  }

  private Plugin.Result pj(String... arguments) throws InterruptedException {
    return plugin.run(inNamespace(arguments));
  }

  private String[] inNamespace(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = arguments[0];
    all[1] = "-n";
    all[2] = namespace;
    System.arraycopy(arguments, 1, all, 3, arguments.length - 1);
    return all;
  }

  @Test
  void aManifestIsMadeAndApplied() throws IOException, InterruptedException {
    Path script = folder.resolve("train.py");
    Files.writeString(script, "import torch\n\nprint(\"hello: 'world'\")\n");
    for (String kind : List.of("pj", "pytorchjob")) {
      String manifest =
          pj(
                  "submit",
                  script.toString(),
                  "--dry-run",
                  "--nodes=2",
                  "--image=registry.example/train:1",
                  "--name=dry-" + kind,
                  "--kind=" + kind,
                  "--gpus=1",
                  "--env=LR=0.1",
                  "--",
                  "--epochs=3")
              .done();
      assertThat(stage.kubectl(manifest, "apply", "--validate=strict", "-f", "-"))
          .contains("configmap/dry-" + kind + "-script created");
    }
    assertThat(stage.kubectl("", "get", "cm", "dry-pj-script", "-o", "jsonpath={.data.train\\.py}"))
        .isEqualTo(Files.readString(script));
    assertThat(pj("why", "dry-pj").done()).contains("no operator has looked at it yet");
  }

  @Test
  void aScriptIsSubmitted() throws IOException, InterruptedException {
    Path script = folder.resolve("real.py");
    Files.writeString(script, "print('hello')\n");
    String created =
        pj("submit", script.toString(), "--image=registry.example/train:1", "--name=real").done();
    assertThat(created).isEqualTo("pytorchtrainingjob.batch.tensorstack.dev/real created\n");
    assertThat(
            stage.kubectl(
                "",
                "get",
                "cm",
                "real-script",
                "-o",
                "jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}"))
        .isEqualTo("PyTorchTrainingJob/real");
    Plugin.Result again =
        pj("submit", script.toString(), "--image=registry.example/train:1", "--name=real");
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).contains("already exists");
    Plugin.Result refused =
        pj("submit", script.toString(), "--image=x", "--name=bad", "--restart-policy=Sometimes");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("restartPolicy").contains("Sometimes");
    assertThat(stage.kubectl("", "get", "cm", "-o", "name")).doesNotContain("bad-script");
  }

  @Test
  void whyAPodIsNotScheduledAreTheSchedulersOwnWords() throws InterruptedException {
    stage.job("big", "");
    stage.pod("big", "big-worker-0", 0, 0, "cpu: 1000", "exit 0");
    stage.await(
        "pod/big-worker-0",
        "{.status.conditions[?(@.type==\"PodScheduled\")].reason}",
        "Unschedulable");
    stage.status(
        "big",
        "{'phase':'Pending','replicas':2,'conditions':[{'type':'Running','status':'False',"
            + "'reason':'Unschedulable','message':'worker-0: no node'}]}");
    assertThat(pj("why", "pj/big").done().replace('\n', ' '))
        .contains("has been pending")
        .contains("The scheduler says of worker-0: 0/1 nodes are available: 1 Insufficient cpu");
    assertThat(pj("top", "big").done()).contains("Unschedulable");
  }

  @Test
  void logsOfAllRanksAreFollowedOverARestartUntilTheEnd() throws InterruptedException {
    stage.job("two", "");
    stage.status("two", "{'phase':'Running','replicas':2,'conditions':[]}");
    stage.pod("two", "two-worker-0", 0, 0, "cpu: 1", "echo first; read line; exec sleep 600");
    stage.pod("two", "two-worker-1", 1, 0, "cpu: 1", "echo second; exit 3");
    stage.await("pod/two-worker-1", "{.status.phase}", "Failed");
    try (Plugin.Running follow = plugin.start(inNamespace("logs", "two", "--all-ranks", "-f"))) {
      follow.awaitOut("1 worker-1 | second\n");
      stage.pod("two", "two-worker-1-r1", 1, 1, "cpu: 1", "echo again; exit 0");
      follow.awaitOut("1 worker-1 | again\n");
      follow.awaitErr("worker-1: pod two-worker-1-r1, attempt 1");
      stage.kubectl("", "delete", "pod", "two-worker-0");
      stage.status("two", "{'phase':'Succeeded'}");
      assertThat(follow.result().code()).isZero();
    }
    assertThat(pj("logs", "two", "--rank=1").done()).isEqualTo("again\n");
    assertThat(pj("logs", "two", "--rank=1", "--attempt=0").done()).isEqualTo("second\n");
    assertThat(pj("logs", "two", "--rank=1", "--previous").done()).isEqualTo("second\n");
    assertThat(pj("logs", "two", "--all-ranks", "--color=always").done())
        .isEqualTo("\u001b[33m1 worker-1 | \u001b[0magain\n");
    Plugin.Result none = pj("logs", "two", "--rank=7");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("has no rank 7, but 0 to 1");
  }

  @Test
  void waitEndsWithTheTrainingsExitCode() throws InterruptedException {
    stage.job("ends", "");
    Plugin.Result limit = pj("wait", "ends", "--timeout=1s");
    assertThat(limit.code()).isEqualTo(124);
    assertThat(limit.err())
        .contains("time limit of 1s reached; PyTorchTrainingJob ends is Pending");
    stage.pod("ends", "ends-worker-1", 1, 0, "cpu: 1", "echo Traceback; echo loss is NaN; exit 42");
    stage.await("pod/ends-worker-1", "{.status.phase}", "Failed");
    try (Plugin.Running wait = plugin.start(inNamespace("wait", "ends"))) {
      wait.awaitErr("ends: Pending");
      stage.status(
          "ends",
          "{'phase':'Failed','replicas':2,'conditions':[{'type':'Failed','status':'True',"
              + "'reason':'ReplicaFailed','message':'pod ends-worker-1 (worker-1) failed'}],"
              + "'lastFailure':{'pod':'ends-worker-1','replica':'worker-1','exitCode':42}}");
      Plugin.Result failed = wait.result();
      assertThat(failed.code()).isEqualTo(42);
      assertThat(failed.err()).contains("Failed (ReplicaFailed), pod ends-worker-1");
    }
    assertThat(pj("why", "ends").done())
        .contains("has failed (ReplicaFailed): pod ends-worker-1 (worker-1) failed.")
        .contains("The last lines of the log (container python of pod ends-worker-1, rank 1):")
        .contains("\n  Traceback\n  loss is NaN\n");
    assertThat(pj("pause", "ends").err()).contains("has ended (Failed)");
  }

  @Test
  void aJobIsSteered() throws InterruptedException {
    stage.job("steered", "");
    assertThat(pj("pause", "steered").done()).endsWith("/steered paused\n");
    stage.await("pj/steered", "{.spec.runMode.pause.enabled}", "true");
    assertThat(pj("pause", "steered").done()).endsWith("is paused already\n");
    assertThat(pj("resume", "steered").done()).endsWith("/steered resumed\n");
    stage.await("pj/steered", "{.spec.runMode.pause.enabled}", "false");
    assertThat(pj("debug", "steered", "on").done()).endsWith("is in debug mode\n");
    stage.await("pj/steered", "{.spec.runMode.debug.enabled}", "true");
    assertThat(pj("debug", "steered", "off").done()).endsWith("trains again\n");
    Plugin.Result fixed = pj("scale", "steered", "3");
    assertThat(fixed.code()).isEqualTo(1);
    assertThat(fixed.err()).startsWith("error: ").contains("elastic");
  }

  @Test
  void anElasticJobIsScaledWithinItsBounds() throws InterruptedException {
    stage.job(
        "grows",
        """
        torchrunConfig: {enabled: true}
        elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 2}
        """);
    assertThat(pj("scale", "grows", "3").done()).endsWith("scaled to 3 nodes\n");
    stage.await("pj/grows", "{.spec.elastic.expectedReplicas}", "3");
    Plugin.Result tooMany = pj("scale", "grows", "9");
    assertThat(tooMany.code()).isEqualTo(1);
    assertThat(tooMany.err()).contains("expectedReplicas");
    assertThat(pj("top").done()).containsPattern("pj/grows +Pending +- +0/2 +0 +- +- +1:4");
  }

  @Test
  void aNameOfTwoJobsAsksForTheKind() throws InterruptedException {
    stage.job("twin", "");
    String unused =
        stage.kubectl(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: twin}
            spec:
              pytorchReplicaSpecs:
                Worker:
                  replicas: 2
                  template: {spec: {containers: [{name: pytorch, image: registry.example/train:1}]}}
            """,
            "create",
            "-f",
            "-");
    Plugin.Result both = pj("why", "twin");
    assertThat(both.code()).isEqualTo(1);
    assertThat(both.err()).contains("one of each kind: write pj/twin or pytorchjob/twin");
    assertThat(pj("pause", "pytorchjob/twin").done())
        .isEqualTo("pytorchjob.kubeflow.org/twin paused\n");
    stage.await("pytorchjobs/twin", "{.spec.runPolicy.suspend}", "true");
    assertThat(pj("debug", "pytorchjob/twin", "on").err()).contains("has no debug mode");
    assertThat(pj("why", "none").err()).contains("there is no job none in namespace " + namespace);
  }

  @Test
  void whatTheUserMayNotDoIsNamed() throws InterruptedException {
    stage.kubectl("", "create", "serviceaccount", "ann");
    Plugin ann = new Plugin(controlPlane.serviceAccountKubeconfig(namespace, "ann"), folder);
    Plugin.Result refused = ann.run(inNamespace("top", "--once"));
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("may not list")
        .contains("The missing right is verbs: [list], resources: [pytorch")
        .doesNotContain("\tat ");
    Plugin.Result as = plugin.run(inNamespace("top", "--as", "bob"));
    assertThat(as.err()).contains("bob may not list");
  }

  @Test
  void jobsAreCompletedForKubectl() throws InterruptedException {
    stage.job("completed", "");
    assertThat(plugin.run("__complete", "logs", "-n", namespace, "compl").done())
        .isEqualTo("completed\n:4\n");
    assertThat(plugin.run("__complete", "lo").done()).startsWith("logs\t");
    assertThat(plugin.run("completion", "bash").done()).contains("complete -F");
  }

  @Test
  void aPluginsTokenIsAskedForAgainWhenItIsRefused() throws IOException, InterruptedException {
    stage.kubectl("", "create", "serviceaccount", "eve");
    Path eve = controlPlane.serviceAccountKubeconfig(namespace, "eve");
    String known = Files.readString(eve);
    Matcher token = Pattern.compile("token: *\"?([^\"\\s]+)\"?").matcher(known);
    assertThat(token.find()).isTrue();
    Path script = folder.resolve("login");
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo "welcome, eve" >&2
        token=refused
        test ! -e '%1$s.ran' || token=%2$s
        touch '%1$s.ran'
        printf '{"kind":"ExecCredential","apiVersion":"%%s","status":{"token":"%%s"}}' \\
          client.authentication.k8s.io/v1 "$token"
        """
            .formatted(script, token.group(1)));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    String exec =
        "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never}";
    Plugin asEve = new Plugin(kubeconfig("exec", known.replace(token.group(), exec)), folder);
    Plugin.Result top = asEve.run(inNamespace("top", "--once"));
    assertThat(top.err())
        .contains("welcome, eve")
        .contains("error: system:serviceaccount:" + namespace + ":eve may not list");

    Files.writeString(script, "#!/bin/sh\nexit 7\n");
    assertThat(asEve.run(inNamespace("top", "--once")).err())
        .isEqualTo("error: the kubeconfig's credential plugin ./login failed with exit code 7\n");

    Files.writeString(folder.resolve("token"), token.group(1) + "\n");
    Plugin ofFile =
        new Plugin(kubeconfig("file", known.replace(token.group(), "tokenFile: token")), folder);
    assertThat(ofFile.run(inNamespace("top", "--once")).err()).contains(":eve may not list");
    Plugin unknown =
        new Plugin(kubeconfig("wrong", known.replace(token.group(), "token: x")), folder);
    assertThat(unknown.run(inNamespace("top", "--once")).err())
        .contains("the API server does not know you (Unauthorized)");
  }

  private Path kubeconfig(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name + ".kubeconfig"), text);
  }

  @Test
  void whatTheApiServerWarnsOfIsPrinted() throws InterruptedException {
    String unused =
        stage.kubectl(
            """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicy
            metadata: {name: warned}
            spec:
              matchConstraints:
                resourceRules:
                - apiGroups: [batch.tensorstack.dev]
                  apiVersions: [v1beta1]
                  operations: [UPDATE]
                  resources: [pytorchtrainingjobs]
              validations:
              - {expression: "object.metadata.name != 'warned'", message: 'that is a "warned" job'}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingAdmissionPolicyBinding
            metadata: {name: warned}
            spec: {policyName: warned, validationActions: [Warn]}
            """,
            "create",
            "-f",
            "-");
    stage.job("warned", "");
    Awaitility.await("the policy")
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              String changed = pj("pause", "warned").err() + pj("resume", "warned").err();
              return changed.startsWith("Warning: ")
                  && changed.contains("that is a \"warned\" job");
            });
  }
}
