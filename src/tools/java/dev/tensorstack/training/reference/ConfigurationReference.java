package dev.tensorstack.training.reference;

import dev.tensorstack.training.runtime.OperatorConfiguration;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page about the operator's settings, made from {@link OperatorConfiguration}. */
public final class ConfigurationReference {

  /** Where the project keeps the page, relative to the checkout. */
  public static final Path FILE = Path.of("docs/reference/configuration.md");

  private static final Path SOURCE =
      Path.of("src/main/java/dev/tensorstack/training/runtime/OperatorConfiguration.java");
  private static final Path PROPERTIES = Path.of("src/main/resources/application.properties");
  private static final String PREFIX = "operator";
  private static final String UNSET = "empty: ";

  private static final String TOP =
      """
      # Configuration of the operator

      <!-- Made from OperatorConfiguration by GeneratedFilesTest; do not edit. -->

      Each setting is an environment variable of the operator, and a property of the same meaning (a system property, `-D…`,
      or a line of `config/application.properties` beside the program). None has to be set. In the
      [chart](chart.md) they are `kinds`, `watchNamespaces`, `settings`, `defaults`, `pyTorchJob`, `progress` and `webhook`; what has no value of its own
      there goes into `extraEnv`. They are read at the start: a change needs a restart.

      | Environment variable | Default | Type | Property | Meaning |
      |---|---|---|---|---|
      """;

  private static final String BOTTOM =
      """

      A duration is a number and a unit: `500ms`, `10s`, `5m`, `2h`, `90d`. A list has commas between its entries.

      What the settings of the webhooks do is in [admission webhooks](../operations/webhooks.md), those of the election in
      [high availability](../operations/high-availability.md), those of restarts in [concepts](../concepts.md#success-and-failure).

      ## The cluster

      It is found as Kubernetes clients find it: `KUBECONFIG`, `~/.kube/config`, or the service account of the pod.

      ## Ports

      | Port | Serves | Changed by |
      |---|---|---|
      | %s | `/mutate`, `/validate`, and for `PyTorchJob` `/mutate/pytorchjobs`, `/validate/pytorchjobs`; TLS only | `QUARKUS_HTTP_SSL_PORT` |
      | %s | `/q/metrics` ([metrics](metrics.md)), `/q/health/live`, `/q/health/ready`; neither TLS nor authentication. Health alone while `OPERATOR_METRICS_SECURE` is `true` | `QUARKUS_MANAGEMENT_PORT` |
      | 9444 | what [trainings report](../tasks/progress.md); TLS only, not while `OPERATOR_PROGRESS_ENABLED` is `false` | `OPERATOR_PROGRESS_PORT` |
      | 9445 | `/metrics`, [over HTTPS](../operations/monitoring.md#metrics-over-https) only, while `OPERATOR_METRICS_SECURE` is `true` | `OPERATOR_METRICS_SECURE_PORT` |

      All listen on all addresses; `QUARKUS_HTTP_HOST` (for 9443, 9444 and 9445) and `QUARKUS_MANAGEMENT_HOST` (for 9000) restrict that.

      ## Log

      | Environment variable | Default | Meaning |
      |---|---|---|
      | `QUARKUS_LOG_LEVEL` | `INFO` | The level of everything: `DEBUG`, `INFO`, `WARN`, `ERROR` |
      | `QUARKUS_LOG_CATEGORY__DEV_TENSORSTACK__LEVEL` | – | The level of the operator's own code alone |
      """;

  private ConfigurationReference() {}

  /**
   * A setting.
   *
   * @param property its name as a property
   * @param type what it takes, in words
   * @param defaultValue its default as it would be written; null: there is none
   * @param meaning what it does, as Markdown
   */
  public record Setting(
      String property, String type, @Nullable String defaultValue, String meaning) {

    /** Its name as an environment variable. */
    public String environmentVariable() {
      return property.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }
  }

  /**
   * All settings, in the order of the source.
   *
   * @return the settings
   */
  public static List<Setting> settings() {
    Map<String, SourceComments.Comment> comments = SourceComments.of(SOURCE);
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(PROPERTIES)) {
      properties.load(reader);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    List<Setting> settings = new ArrayList<>();
    add(OperatorConfiguration.class, PREFIX, comments, properties, settings);
    return settings;
  }

  private static void add(
      Class<?> mapping,
      String prefix,
      Map<String, SourceComments.Comment> comments,
      Properties properties,
      List<Setting> settings) {
    List<Class<?>> types = new ArrayList<>();
    for (Class<?> type = mapping; type != null; type = type.getDeclaringClass()) {
      types.add(0, type);
    }
    String owner = types.stream().map(Class::getSimpleName).collect(Collectors.joining(".")) + ".";
    List<Method> methods = new ArrayList<>(List.of(mapping.getDeclaredMethods()));
    // Reflection knows no order.
    List<String> order = List.copyOf(comments.keySet());
    methods.removeIf(method -> method.isSynthetic());
    methods.sort(
        (one, other) ->
            Integer.compare(
                order.indexOf(owner + one.getName()), order.indexOf(owner + other.getName())));
    for (Method method : methods) {
      String property = prefix + "." + name(method);
      if (method.getReturnType().isInterface()
          && method.getReturnType().getDeclaringClass() == mapping) {
        add(method.getReturnType(), property, comments, properties, settings);
        continue;
      }
      SourceComments.Comment comment =
          Objects.requireNonNull(
              comments.get(owner + method.getName()), () -> method + " has no comment");
      WithDefault given = method.getAnnotation(WithDefault.class);
      settings.add(
          new Setting(
              property,
              type(method.getGenericReturnType()),
              given != null ? given.value() : properties.getProperty(property),
              meaning(comment)));
    }
  }

  /** As the library makes it, where no other name is given. */
  private static String name(Method method) {
    WithName given = method.getAnnotation(WithName.class);
    return given != null
        ? given.value()
        : method.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static String meaning(SourceComments.Comment comment) {
    String text = comment.text().replaceFirst("\\.$", "");
    int unset = comment.returns().indexOf(UNSET);
    return unset < 0
        ? text
        : text + ". Without it: " + comment.returns().substring(unset + UNSET.length());
  }

  private static String type(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      String argument = type(parameterized.getActualTypeArguments()[0]);
      return parameterized.getRawType() == Optional.class ? argument : "list";
    }
    if (type instanceof Class<?> plain && plain.isEnum()) {
      return Arrays.stream(plain.getEnumConstants())
          .map(constant -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
          .map(word -> "`" + word + "`")
          .collect(Collectors.joining(" or "));
    }
    if (type == Duration.class) {
      return "duration";
    }
    if (type == Path.class) {
      return "path";
    }
    if (type == int.class) {
      return "number";
    }
    return type == boolean.class || type == Boolean.class ? "`true` or `false`" : "text";
  }

  /**
   * Generates the page.
   *
   * @return Markdown
   */
  public static String generate() {
    StringBuilder page = new StringBuilder(TOP);
    for (Setting setting : settings()) {
      page.append("| `")
          .append(setting.environmentVariable())
          .append("` | ")
          .append(setting.defaultValue() == null ? "–" : "`" + setting.defaultValue() + "`")
          .append(" | ")
          .append(setting.type())
          .append(" | `")
          .append(setting.property())
          .append("` | ")
          .append(setting.meaning().replace("|", "\\|"))
          .append(" |\n");
    }
    return page.append(BOTTOM.formatted(port("http.ssl-port"), port("management.port"))).toString();
  }

  private static String port(String property) {
    try {
      return Files.readString(PROPERTIES)
          .lines()
          .filter(line -> line.startsWith("quarkus." + property + "="))
          .map(line -> line.substring(line.indexOf('=') + 1))
          .findFirst()
          .orElseThrow();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
