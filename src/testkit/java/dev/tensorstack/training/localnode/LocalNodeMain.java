package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.client.Config;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Runs a local node by hand until it is interrupted. */
public final class LocalNodeMain {
  private static final String USAGE =
      """
      Runs the pods of one node as processes of this machine, until interrupted.

        --kubeconfig FILE       the cluster (default: $KUBECONFIG, ~/.kube/config)
        --name NAME             the Node's name (default: local)
        --port PORT             the log server's port (default: any)
        --capacity NAME=AMOUNT  a resource of the node, such as nvidia.com/gpu=8; may be repeated
        --label NAME=VALUE      a label of the Node; may be repeated
        --env NAME=VALUE        a variable of every process; may be repeated
        --path DIRECTORY        comes first in the PATH of every process
        --state DIRECTORY       where pods have their files, kept at the end (default: temporary)
      """;

  private LocalNodeMain() {}

  /**
   * Starts the node and waits.
   *
   * @param args see {@code --help}; exits with 2 when they cannot be understood
   * @throws IOException if the kubeconfig cannot be read
   * @throws InterruptedException if the waiting is interrupted
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    // Before the first logger is made, as the log manager on the class path insists on it.
    System.setProperty("java.util.logging.manager", "org.jboss.logmanager.LogManager");
    PrintStream out = System.out;
    LocalNodeOptions options = LocalNodeOptions.named("local");
    Config config = null;
    Deque<String> words = new ArrayDeque<>(List.of(args));
    while (!words.isEmpty()) {
      String option = words.pop();
      if (option.equals("--help") || words.isEmpty()) {
        out.print(USAGE);
        System.exit(option.equals("--help") ? 0 : 2);
      }
      String value = words.pop();
      if (option.equals("--kubeconfig")) {
        config = Config.fromKubeconfig(new File(value));
      } else {
        options = with(options, option, value);
      }
    }
    LocalNode node = LocalNode.start(config == null ? Config.autoConfigure(null) : config, options);
    Runtime.getRuntime().addShutdownHook(new Thread(node::close, "shutdown"));
    out.println("Node " + node.name() + " is registered, logs on port " + node.port());
    new CountDownLatch(1).await();
  }

  private static LocalNodeOptions with(LocalNodeOptions options, String option, String value) {
    String[] pair = value.split("=", 2);
    String amount = pair.length == 2 ? pair[1] : "";
    return switch (option) {
      case "--name" -> options.renamed(value);
      case "--port" -> options.withPort(Integer.parseInt(value));
      case "--capacity" -> options.withCapacity(pair[0], amount);
      case "--label" -> options.withLabel(pair[0], amount);
      case "--env" -> options.withEnvironment(pair[0], amount);
      case "--path" -> options.withSearchPath(Path.of(value));
      case "--state" -> options.withStateDirectory(Path.of(value));
      default -> throw new IllegalArgumentException(option + " is not known\n" + USAGE);
    };
  }
}
