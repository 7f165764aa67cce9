package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueForbidden;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueInvalid;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueNotSupported;
import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueRequired;

import dev.tensorstack.training.core.model.BoundedQuantity;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ContainerResourceMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.CrossVersionObjectReference;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ExternalMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricIdentifier;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricTarget;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ObjectMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.PodsMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ResourceMetricSource;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The metrics make a HorizontalPodAutoscaler that the API server accepts: what it would refuse
 * later is said now.
 *
 * <p>Refuses: metrics of an elastic job that no HorizontalPodAutoscaler takes: none in the list, no
 * type, no source of that type, no target.
 */
final class ElasticMetricsRule implements Rule<PyTorchTrainingJobSpec> {

  private static final String METRICS = "spec.elastic.metrics";

  @Override
  public String id() {
    return "elastic-metrics";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<Violation> violations = new ArrayList<>();
    Elastic elastic = subject.spec().elastic();
    if (elastic == null || !elastic.on() || elastic.metrics() == null) {
      return violations;
    }
    if (elastic.metrics().isEmpty()) {
      violations.add(
          new Violation(
              id(),
              METRICS,
              FieldValueRequired,
              "name at least one metric, or leave metrics out: then nothing scales the job by"
                  + " itself"));
    }
    for (int i = 0; i < elastic.metrics().size(); i++) {
      MetricSpec metric = Objects.requireNonNullElseGet(elastic.metrics().get(i), MetricSpec::new);
      violations.addAll(new Metric(id(), METRICS + "[" + i + "]", metric).check());
    }
    return violations;
  }

  /** One metric. */
  private static final class Metric {

    private final String rule;
    private final String path;
    private final MetricSpec metric;
    private final List<Violation> violations = new ArrayList<>();

    Metric(String rule, String path, MetricSpec metric) {
      this.rule = rule;
      this.path = path;
      this.metric = metric;
    }

    List<Violation> check() {
      Map<String, Object> sources = sources();
      String type = metric.getType();
      if (type == null || type.isEmpty()) {
        add(
            ".type",
            FieldValueRequired,
            "say what is measured: Resource, ContainerResource, Pods, Object or External");
        return violations;
      }
      String own = Character.toLowerCase(type.charAt(0)) + type.substring(1);
      if (!sources.containsKey(own) || Character.isLowerCase(type.charAt(0))) {
        add(
            ".type",
            FieldValueNotSupported,
            "\""
                + type
                + "\" is no type of metric: write Resource, ContainerResource, Pods, Object or"
                + " External");
        return violations;
      }
      sources.forEach(
          (name, source) -> {
            if (source != null && !name.equals(own)) {
              add(
                  "." + name,
                  FieldValueForbidden,
                  "does not go with the type " + type + ": make it a metric of its own");
            }
          });
      Object source = sources.get(own);
      if (source == null) {
        add("." + own, FieldValueRequired, "a metric of the type " + type + " is described here");
      } else {
        source("." + own, source);
      }
      return violations;
    }

    /** By name, in the order of the API; null where none is given. */
    private Map<String, @Nullable Object> sources() {
      Map<String, @Nullable Object> sources = new LinkedHashMap<>();
      sources.put("resource", metric.getResource());
      sources.put("containerResource", metric.getContainerResource());
      sources.put("pods", metric.getPods());
      sources.put("object", metric.getObject());
      sources.put("external", metric.getExternal());
      return sources;
    }

    private void source(String at, Object source) {
      if (source instanceof ResourceMetricSource resource) {
        named(at + ".name", resource.getName(), "the resource, for example cpu");
        perPod(at, resource.getTarget());
      } else if (source instanceof ContainerResourceMetricSource resource) {
        named(at + ".name", resource.getName(), "the resource, for example cpu");
        named(at + ".container", resource.getContainer(), "the container that is measured");
        perPod(at, resource.getTarget());
      } else if (source instanceof PodsMetricSource pods) {
        metricNamed(at, pods.getMetric());
        MetricTarget target = target(at, pods.getTarget());
        if (target != null && target.getAverageValue() == null) {
          add(at + ".target.averageValue", FieldValueRequired, "say how much each pod shall have");
        }
      } else if (source instanceof ObjectMetricSource object) {
        CrossVersionObjectReference described = object.getDescribedObject();
        named(
            at + ".describedObject.kind",
            described == null ? null : described.getKind(),
            "the kind of the object that is measured");
        named(
            at + ".describedObject.name",
            described == null ? null : described.getName(),
            "the object that is measured");
        metricNamed(at, object.getMetric());
        total(at, target(at, object.getTarget()));
      } else if (source instanceof ExternalMetricSource external) {
        metricNamed(at, external.getMetric());
        MetricTarget target = target(at, external.getTarget());
        total(at, target);
        if (target != null && target.getValue() != null && target.getAverageValue() != null) {
          add(at + ".target.value", FieldValueForbidden, "give this or averageValue, not both");
        }
      }
    }

    private void metricNamed(String at, @Nullable MetricIdentifier identifier) {
      named(at + ".metric.name", identifier == null ? null : identifier.getName(), "the metric");
    }

    private void named(String at, @Nullable String name, String what) {
      if (name == null || name.isEmpty()) {
        add(at, FieldValueRequired, "name " + what);
      }
    }

    /** A target of a resource: a share of what is requested, or an amount, for each pod. */
    private void perPod(String at, @Nullable MetricTarget given) {
      MetricTarget target = target(at, given);
      if (target == null) {
        return;
      }
      boolean share = target.getAverageUtilization() != null;
      boolean amount = target.getAverageValue() != null;
      if (!share && !amount) {
        add(
            at + ".target.averageUtilization",
            FieldValueRequired,
            "say how many percent of what a pod requests shall be used, or give averageValue");
      } else if (share && amount) {
        add(
            at + ".target.averageValue",
            FieldValueForbidden,
            "give this or averageUtilization, not both");
      }
    }

    private void total(String at, @Nullable MetricTarget target) {
      if (target != null && target.getValue() == null && target.getAverageValue() == null) {
        add(
            at + ".target.value",
            FieldValueRequired,
            "say how much there shall be, or give averageValue: how much for each pod");
      }
    }

    /** The target; null, after saying so, when there is none whose type is known. */
    private @Nullable MetricTarget target(String at, @Nullable MetricTarget target) {
      if (target == null || target.getType() == null || target.getType().isEmpty()) {
        add(
            at + ".target.type",
            FieldValueRequired,
            "say what the target is: Utilization, Value or AverageValue");
        return null;
      }
      String type = target.getType();
      if (!List.of("Utilization", "Value", "AverageValue").contains(type)) {
        add(
            at + ".target.type",
            FieldValueNotSupported,
            "\"" + type + "\" is no type of target: write Utilization, Value or AverageValue");
        return null;
      }
      positive(at + ".target.value", target.getValue());
      positive(at + ".target.averageValue", target.getAverageValue());
      if (target.getAverageUtilization() != null && target.getAverageUtilization() < 1) {
        add(at + ".target.averageUtilization", FieldValueInvalid, "must be at least 1 percent");
      }
      return target;
    }

    private void positive(String at, @Nullable Quantity quantity) {
      if (quantity == null || BoundedQuantity.excess(quantity.toString()) != null) {
        // Of excess another rule tells.
        return;
      }
      BigDecimal amount = BoundedQuantity.amount(quantity);
      if (amount == null) {
        add(at, FieldValueInvalid, "\"" + quantity + "\" is no quantity: write for example 500m");
      } else if (amount.signum() <= 0) {
        add(at, FieldValueInvalid, "must be more than 0");
      }
    }

    private void add(String field, Violation.Reason reason, String message) {
      violations.add(new Violation(rule, path + field, reason, message));
    }
  }
}
