package dev.tensorstack.training.controlplane;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test, or a class of tests, about something that older versions of Kubernetes do not have. On
 * those it is skipped, which the report says with the version that is needed.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsKubernetes.Condition.class)
public @interface NeedsKubernetes {
  /** The minor version from which on the test runs, for example 34 for Kubernetes 1.34. */
  int value();

  /** What older versions do not have. */
  String because();

  /** Looks at the version that is chosen. */
  final class Condition implements ExecutionCondition {
    /**
     * Decides about a class or a method.
     *
     * @return disabled when the chosen version is too old for it
     */
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return AnnotationSupport.findAnnotation(context.getElement(), NeedsKubernetes.class)
          .map(needed -> evaluate(needed.value(), needed.because(), KubernetesVersion.chosen()))
          .orElseGet(() -> ConditionEvaluationResult.enabled("asks for no version of Kubernetes"));
    }

    static ConditionEvaluationResult evaluate(
        int minor, String because, KubernetesVersion version) {
      return version.atLeast(minor)
          ? ConditionEvaluationResult.enabled("Kubernetes is " + version)
          : ConditionEvaluationResult.disabled(
              String.format(
                  "needs Kubernetes 1.%d or newer, this is %s: %s", minor, version, because));
    }
  }
}
