package dev.tensorstack.training.kubectl.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeconfigTest {

  private static final String V1 = "client.authentication.k8s.io/v1";
  private static final String TOKEN = "echo '%s'".formatted(answer(V1, "\"token\":\"t-1\""));

  private final Path folder;

  KubeconfigTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private static String answer(String version, String status) {
    return "{\"kind\":\"ExecCredential\",\"apiVersion\":\""
        + version
        + "\",\"status\":{"
        + status
        + "}}";
  }

  private File file(String user) throws IOException {
    Path file = folder.resolve("config");
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: one
        contexts:
        - {name: one, context: {cluster: c, user: u, namespace: team-a}}
        clusters:
        - name: c
          cluster:
            server: https://cluster.example:6443
            certificate-authority-data: Y2E=
            extensions:
            - {name: client.authentication.k8s.io/exec, extension: {audience: me}}
        users:
        - name: u
          user: %s
        """
            .formatted(user));
    return file.toFile();
  }

  private String exec(String version, String script, String more) throws IOException {
    Path plugin = folder.resolve("plugin");
    Files.writeString(plugin, "#!/bin/sh\ncd '" + folder + "'\n" + script + "\n");
    assertThat(plugin.toFile().setExecutable(true)).isTrue();
    return "{exec: {apiVersion: %s, command: ./plugin, interactiveMode: Never%s}}"
        .formatted(version, more);
  }

  private Kubeconfig.User user(String user) throws IOException {
    return Kubeconfig.read(List.of(file(user))).user(null);
  }

  private static CredentialPlugin plugin(Kubeconfig.User user) {
    return Objects.requireNonNull(user.plugin());
  }

  @ParameterizedTest
  @ValueSource(strings = {V1, "client.authentication.k8s.io/v1beta1"})
  void aPluginGivesAToken(String version) throws IOException {
    Kubeconfig.User user =
        user(
            exec(
                version, "echo log in >&2\necho '" + answer(version, "\"token\":\"t\"") + "'", ""));
    assertThat(plugin(user).credential().token()).isEqualTo("t");
    assertThat(user.config().getMasterUrl()).startsWith("https://cluster.example:6443");
    assertThat(user.config().getNamespace()).isEqualTo("team-a");
  }

  @Test
  void aPluginGivesACertificate() throws IOException, GeneralSecurityException {
    String key =
        "-----BEGIN PRIVATE KEY-----\\n"
            + Base64.getEncoder()
                .encodeToString(
                    KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate().getEncoded())
            + "\\n-----END PRIVATE KEY-----\\n";
    Files.writeString(
        folder.resolve("answer"),
        answer(V1, "\"clientCertificateData\":\"pem\",\"clientKeyData\":\"" + key + "\""));
    Config config = user(exec(V1, "cat answer", "")).config();
    ClientKey.adapt(config);
    assertThat(config.getClientKeyAlgo()).isEqualTo("EC");
    assertThat(Base64.getDecoder().decode(config.getClientCertData())).asString().isEqualTo("pem");
  }

  @Test
  void argumentsAndVariablesComeAsTheyAre() throws IOException {
    CredentialPlugin plugin =
        plugin(
            user(
                exec(
                    V1,
                    "printf '%s|' \"$@\" \"$WHO\" > seen\n" + TOKEN,
                    ", args: ['$HOME', 'a b', \"it's\"], env: [{name: WHO, value: ann}]")));
    assertThat(plugin.credential().token()).isEqualTo("t-1");
    assertThat(folder.resolve("seen")).hasContent("$HOME|a b|it's|ann|");
  }

  @Test
  void aPluginIsToldWhatItIsAskedFor() throws IOException {
    Kubeconfig.User unused =
        user(
            exec(
                V1,
                "printf '%s' \"$KUBERNETES_EXEC_INFO\" > info\n" + TOKEN,
                ", provideClusterInfo: true"));
    assertThat(Files.readString(folder.resolve("info"), StandardCharsets.UTF_8))
        .contains("\"apiVersion\":\"client.authentication.k8s.io/v1\"")
        .contains("\"interactive\":false")
        .contains("\"server\":\"https://cluster.example:6443\"")
        .contains("\"certificate-authority-data\":\"Y2E=\"")
        .contains("\"config\":{\"audience\":\"me\"}");
  }

  @Test
  void aPluginIsRunAgainOnlyWhenItsCredentialIsOfNoUse() throws IOException {
    String counted = "echo x >> runs\n";
    CredentialPlugin lasting = plugin(user(exec(V1, counted + TOKEN, "")));
    Credential first = lasting.credential();
    assertThat(lasting.credential()).isSameAs(first);
    assertThat(folder.resolve("runs")).hasContent("x");
    Credential second = lasting.renew(first);
    assertThat(second).isNotSameAs(first);
    assertThat(lasting.renew(first)).isSameAs(second);
    assertThat(folder.resolve("runs")).hasContent("x\nx");

    Files.delete(folder.resolve("runs"));
    String past = answer(V1, "\"token\":\"t\",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\"");
    CredentialPlugin expired = plugin(user(exec(V1, counted + "echo '" + past + "'", "")));
    assertThat(expired.credential().token()).isEqualTo("t");
    assertThat(folder.resolve("runs")).hasContent("x\nx");
  }

  @Test
  void aPluginThatGivesNothingIsNamed() throws IOException {
    assertThatThrownBy(() -> user(exec(V1, "exit 3", "")))
        .isInstanceOf(CredentialException.class)
        .hasMessage("the kubeconfig's credential plugin ./plugin failed with exit code 3");
    assertThatThrownBy(() -> user(exec(V1, "echo hello", ""))).hasMessageContaining("no JSON");
    assertThatThrownBy(
            () ->
                user(
                    "{exec: {apiVersion: %s, command: no-such-plugin, installHint: Get it.}}"
                        .formatted(V1)))
        .hasMessageContaining("no-such-plugin cannot be run")
        .hasMessageEndingWith("Get it.");
  }

  @Test
  void aTokenComesBeforeAPlugin() throws IOException {
    String exec = exec(V1, "exit 3", "");
    Kubeconfig.User user = user("{token: own, " + exec.substring(1));
    assertThat(user.plugin()).isNull();
    assertThat(user.config().getAutoOAuthToken()).isEqualTo("own");
  }

  @Test
  void aTokenFileIsReadAnewForEachRequest() throws IOException {
    Path token = folder.resolve("token");
    Files.writeString(token, "one\n");
    Config config = user("{tokenFile: token, token: other}").config();
    assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("one");
    Files.writeString(token, "two");
    assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("two");
    Files.delete(token);
    assertThatThrownBy(() -> config.getOauthTokenProvider().getToken())
        .isInstanceOf(CredentialException.class)
        .hasMessageContaining("tokenFile");
  }

  @Test
  void theTokenOfAnAuthProviderIsUsed() throws IOException {
    Config config =
        user("{auth-provider: {name: oidc, config: {id-token: header.e30.signature}}}").config();
    assertThat(config.getAutoOAuthToken()).isEqualTo("header.e30.signature");
    assertThat(config.getAuthProvider().getName()).isEqualTo("oidc");
  }

  @Test
  void aFileThatIsNoKubeconfigIsNamed() throws IOException {
    for (String text : List.of("users: [", "{\"users\": 3}", "hello")) {
      Path file = Files.writeString(folder.resolve("broken"), text);
      assertThatThrownBy(() -> Kubeconfig.read(List.of(file.toFile())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("the kubeconfig " + file + " cannot be read: ");
    }
  }

  @Test
  void severalFilesAreOne() throws IOException {
    Path other = folder.resolve("other");
    Files.writeString(
        other,
        """
        contexts:
        - {name: two, context: {cluster: c, user: v}}
        users:
        - {name: v, user: {token: second}}
        """);
    Kubeconfig both = Kubeconfig.read(List.of(other.toFile(), file("{token: first}")));
    assertThat(both.user("two").config().getAutoOAuthToken()).isEqualTo("second");
    assertThat(both.user(null).config().getAutoOAuthToken()).isEqualTo("first");
  }
}
