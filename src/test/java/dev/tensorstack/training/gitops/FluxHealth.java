package dev.tensorstack.training.gitops;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.Yaml;

/**
 * The {@code healthCheckExprs} of a Kustomization, evaluated as Flux does: an object whose status
 * is of an earlier generation is in progress; else the first expression that is true decides, of
 * {@code inProgress}, {@code failed} and {@code current}, and without one it is in progress. What
 * Flux itself says is in {@link KstatusRecord}.
 */
final class FluxHealth {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The expressions in the order of their evaluation, with what it means that one is true. */
  private static final List<Map.Entry<String, String>> ORDER =
      List.of(
          Map.entry("inProgress", "InProgress"),
          Map.entry("failed", "Failed"),
          Map.entry("current", "Current"));

  private static final CelOptions OPTIONS =
      CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setOptions(OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("metadata", SimpleType.DYN)
          .addVar("spec", SimpleType.DYN)
          .addVar("status", SimpleType.DYN)
          .setResultType(SimpleType.BOOL)
          .build();
  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.standardCelRuntimeBuilder().setOptions(OPTIONS).build();

  private final JsonNode kustomization;

  /**
   * The expressions of a file.
   *
   * @param file a Kustomization
   */
  FluxHealth(Path file) {
    try {
      kustomization = JSON.valueToTree(new Yaml().<Object>load(Files.readString(file)));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * The expressions for a kind.
   *
   * @param object an object of that kind
   * @return {@code current} and others
   * @throws IllegalArgumentException when there are none for that kind
   */
  JsonNode expressions(JsonNode object) {
    for (JsonNode check : kustomization.at("/spec/healthCheckExprs")) {
      if (check.path("apiVersion").equals(object.path("apiVersion"))
          && check.path("kind").equals(object.path("kind"))) {
        return check;
      }
    }
    throw new IllegalArgumentException("nothing for " + object.path("kind"));
  }

  /**
   * What Flux says of an object.
   *
   * @param object the object
   * @return a status of kstatus
   */
  String of(JsonNode object) {
    JsonNode observed = object.at("/status/observedGeneration");
    if (observed.isNumber() && observed.longValue() != object.at("/metadata/generation").asLong()) {
      return "InProgress";
    }
    JsonNode expressions = expressions(object);
    Map<String, Object> variables = JSON.convertValue(object, new TypeReference<>() {});
    for (Map.Entry<String, String> expression : ORDER) {
      if (expressions.has(expression.getKey())) {
        Optional<Boolean> holds = holds(expressions.get(expression.getKey()).asText(), variables);
        if (holds.isEmpty()) {
          return "Unknown";
        }
        if (holds.get()) {
          return expression.getValue();
        }
      }
    }
    return "InProgress";
  }

  /** Whether an expression is true; nothing when it has no value, as without any status. */
  private static Optional<Boolean> holds(String expression, Map<String, Object> variables) {
    try {
      Object value = RUNTIME.createProgram(COMPILER.compile(expression).getAst()).eval(variables);
      return value instanceof Boolean holds ? Optional.of(holds) : Optional.empty();
    } catch (CelEvaluationException noValue) {
      return Optional.empty();
    } catch (CelValidationException invalid) {
      throw new IllegalArgumentException(expression, invalid);
    }
  }
}
