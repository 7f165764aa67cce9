package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.AnyType;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.api.model.NamedExtension;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One or more kubeconfig files as one configuration. The client reads them, but for what it does in
 * another way than kubectl: credential plugins, and files that hold a token.
 */
final class Kubeconfig {

  /** The name of a cluster's extension that is meant for its credential plugin. */
  private static final String PLUGIN_EXTENSION = "client.authentication.k8s.io/exec";

  private final List<io.fabric8.kubernetes.api.model.Config> files;

  private Kubeconfig(List<io.fabric8.kubernetes.api.model.Config> files) {
    this.files = files;
  }

  /**
   * A configuration and what its user has to run.
   *
   * @param config the configuration
   * @param plugin gives the user's credentials; null when the configuration has them
   */
  record User(Config config, @Nullable CredentialPlugin plugin) {}

  /**
   * Reads files.
   *
   * @param files the files; the first one that says something wins
   * @return the kubeconfig
   * @throws IllegalArgumentException with a sentence for the user, when a file is none
   */
  static Kubeconfig read(List<File> files) {
    return new Kubeconfig(files.stream().map(Kubeconfig::parse).toList());
  }

  private static io.fabric8.kubernetes.api.model.Config parse(File file) {
    try {
      return KubeConfigUtils.parseConfig(file);
    } catch (RuntimeException e) {
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      String why = String.valueOf(root.getMessage()).strip().replaceAll("\\s+", " ");
      throw new IllegalArgumentException("the kubeconfig " + file + " cannot be read: " + why, e);
    }
  }

  /**
   * The configuration of a context.
   *
   * @param context the context; null for the current one
   * @return the configuration, with the credentials of its plugin where it has one
   * @throws CredentialException with a sentence for the user, when there are no credentials
   */
  User user(@Nullable String context) {
    Map<AuthInfo, ExecConfig> plugins = takePlugins();
    Config config = Config.empty();
    KubeConfigUtils.merge(
        config, context, files.toArray(io.fabric8.kubernetes.api.model.Config[]::new));
    Config.configFromSysPropsOrEnvVars(config);
    NamedContext chosen = config.getCurrentContext();
    NamedAuthInfo named = chosen == null ? null : named(chosen.getContext().getUser());
    if (chosen == null || named == null) {
      return new User(config, null);
    }
    AuthInfo user = named.getUser();
    File file = KubeConfigUtils.getFileWithNamedAuthInfo(chosen);
    ExecConfig exec = plugins.get(user);
    if (user.getTokenFile() != null) {
      Path token = path(file, user.getTokenFile());
      config.setOauthTokenProvider(() -> token(token));
    } else if (exec != null && user.getToken() == null) {
      CredentialPlugin plugin = new CredentialPlugin(exec, file, clusterInfo(config));
      present(config, plugin.credential());
      return new User(config, plugin);
    }
    return new User(config, null);
  }

  /** The client would run them. */
  private Map<AuthInfo, ExecConfig> takePlugins() {
    Map<AuthInfo, ExecConfig> plugins = new IdentityHashMap<>();
    for (io.fabric8.kubernetes.api.model.Config file : files) {
      for (NamedAuthInfo named : orNone(file.getUsers())) {
        AuthInfo user = named.getUser();
        if (user != null && user.getExec() != null) {
          plugins.put(user, user.getExec());
          user.setExec(null);
        }
      }
    }
    return plugins;
  }

  private @Nullable NamedAuthInfo named(@Nullable String user) {
    for (io.fabric8.kubernetes.api.model.Config file : files) {
      for (NamedAuthInfo named : orNone(file.getUsers())) {
        if (named.getUser() != null && named.getName().equals(user)) {
          return named;
        }
      }
    }
    return null;
  }

  private static <T> List<T> orNone(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private static Path path(@Nullable File kubeconfig, String name) {
    Path path = Path.of(name);
    return kubeconfig == null ? path : kubeconfig.toPath().toAbsolutePath().resolveSibling(path);
  }

  /** Read for each request: whoever writes it writes a new one in time. */
  private static String token(Path file) {
    try {
      return Files.readString(file, UTF_8).strip();
    } catch (IOException e) {
      throw new CredentialException("the kubeconfig's tokenFile: " + e, e);
    }
  }

  private static void present(Config config, Credential credential) {
    if (credential.certificate() != null && credential.key() != null) {
      config.setClientCertFile(null);
      config.setClientKeyFile(null);
      config.setClientCertData(base64(credential.certificate()));
      config.setClientKeyData(base64(credential.key()));
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private Map<String, Object> clusterInfo(Config config) {
    Map<String, Object> info = new HashMap<>();
    String cluster = config.getCurrentContext().getContext().getCluster();
    for (io.fabric8.kubernetes.api.model.Config file : files) {
      for (NamedCluster named : orNone(file.getClusters())) {
        if (info.isEmpty() && named.getCluster() != null && named.getName().equals(cluster)) {
          info.put("server", named.getCluster().getServer());
          put(info, "tls-server-name", named.getCluster().getTlsServerName());
          put(info, "proxy-url", named.getCluster().getProxyUrl());
          put(info, "insecure-skip-tls-verify", named.getCluster().getInsecureSkipTlsVerify());
          put(info, "certificate-authority-data", authority(config));
          put(info, "config", pluginsConfig(orNone(named.getCluster().getExtensions())));
        }
      }
    }
    return info;
  }

  private static void put(Map<String, Object> info, String field, @Nullable Object value) {
    if (value != null) {
      info.put(field, value);
    }
  }

  private static @Nullable Object pluginsConfig(List<NamedExtension> extensions) {
    for (NamedExtension extension : extensions) {
      if (PLUGIN_EXTENSION.equals(extension.getName())) {
        return extension.getExtension() instanceof AnyType any
            ? any.getValue()
            : extension.getExtension();
      }
    }
    return null;
  }

  private static @Nullable String authority(Config config) {
    if (config.getCaCertData() != null || config.getCaCertFile() == null) {
      return config.getCaCertData();
    }
    try {
      return Base64.getEncoder()
          .encodeToString(Files.readAllBytes(Path.of(config.getCaCertFile())));
    } catch (IOException e) {
      throw new CredentialException("the kubeconfig's certificate-authority: " + e, e);
    }
  }
}
