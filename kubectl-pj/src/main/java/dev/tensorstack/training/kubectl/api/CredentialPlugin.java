package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kubectl.job.Tree;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.ExecEnvVar;
import java.io.File;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The program of a kubeconfig's {@code users[].user.exec} that gives credentials, run as kubectl
 * runs it: without a shell, what it has to say goes to the user, and it may ask the user. The
 * client's own way mixes what it says with what it answers. Safe for use by several threads.
 */
final class CredentialPlugin {

  /** By it the plugin is told what it is asked for. */
  private static final String EXEC_INFO = "KUBERNETES_EXEC_INFO";

  private final ExecConfig exec;
  private final @Nullable File kubeconfig;
  private final Map<String, Object> cluster;
  private final ObjectMapper json = new ObjectMapper();
  private @Nullable Credential last;

  /**
   * A plugin that has not been run.
   *
   * @param exec what the kubeconfig says of it
   * @param kubeconfig the file that says it; null when it is not known
   * @param cluster what the plugin is told of the cluster, where it asks for it
   */
  CredentialPlugin(ExecConfig exec, @Nullable File kubeconfig, Map<String, Object> cluster) {
    this.exec = exec;
    this.kubeconfig = kubeconfig;
    this.cluster = Map.copyOf(cluster);
  }

  /**
   * The credential.
   *
   * @return the last one as long as it is valid, else a new one
   * @throws CredentialException with a sentence for the user, when the plugin gives none
   */
  synchronized Credential credential() {
    Credential known = last;
    return known != null && known.isValid(Instant.now()) ? known : renew(known);
  }

  /**
   * A credential instead of one that the API server refused.
   *
   * @param refused the one that was refused; another thread may have replaced it meanwhile
   * @return a new one
   * @throws CredentialException with a sentence for the user, when the plugin gives none
   */
  synchronized Credential renew(@Nullable Credential refused) {
    Credential known = last;
    if (known != null && known != refused) {
      return known;
    }
    Credential renewed = run();
    last = renewed;
    return renewed;
  }

  private Credential run() {
    boolean interactive = isInteractive();
    ProcessBuilder builder = new ProcessBuilder(command());
    if (exec.getEnv() != null) {
      for (ExecEnvVar variable : exec.getEnv()) {
        builder.environment().put(variable.getName(), variable.getValue());
      }
    }
    builder.environment().put(EXEC_INFO, info(interactive));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    if (interactive) {
      builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
    }
    String answer = answer(builder);
    try {
      return Credential.of(Tree.of(json.readValue(answer, Map.class)), apiVersion());
    } catch (JsonProcessingException e) {
      throw new CredentialException(name() + " printed no JSON", e);
    } catch (IllegalArgumentException e) {
      throw new CredentialException(name() + " " + e.getMessage(), e);
    }
  }

  private String answer(ProcessBuilder builder) {
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new CredentialException(name() + " failed with exit code " + code);
      }
      return answer;
    } catch (IOException e) {
      String hint = exec.getInstallHint();
      throw new CredentialException(
          name() + " cannot be run: " + e.getMessage() + (hint == null ? "" : ". " + hint.strip()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CredentialException(name() + " was interrupted", e);
    }
  }

  private boolean isInteractive() {
    String mode = Objects.requireNonNullElse(exec.getInteractiveMode(), "IfAvailable");
    boolean terminal = !mode.equals("Never") && Terminal.is(Terminal.Stream.INPUT);
    if (mode.equals("Always") && !terminal) {
      throw new CredentialException(
          name() + " has to ask you (interactiveMode: Always), and there is no terminal");
    }
    return terminal;
  }

  /** A path with a slash is one beside the kubeconfig, as kubectl understands it. */
  private List<String> command() {
    String program = exec.getCommand();
    if (program.contains(File.separator) && !new File(program).isAbsolute() && kubeconfig != null) {
      program = new File(kubeconfig.getAbsoluteFile().getParentFile(), program).getPath();
    }
    List<String> command = new ArrayList<>();
    command.add(program);
    if (exec.getArgs() != null) {
      command.addAll(exec.getArgs());
    }
    return command;
  }

  private String info(boolean interactive) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("interactive", interactive);
    if (Boolean.TRUE.equals(exec.getProvideClusterInfo())) {
      spec.put("cluster", cluster);
    }
    try {
      return json.writeValueAsString(
          Map.of("apiVersion", apiVersion(), "kind", "ExecCredential", "spec", spec));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private String apiVersion() {
    return String.valueOf(exec.getApiVersion());
  }

  private String name() {
    return "the kubeconfig's credential plugin " + exec.getCommand();
  }
}
