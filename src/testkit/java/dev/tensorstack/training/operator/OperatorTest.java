package dev.tensorstack.training.operator;

import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class with an operator of its own on the shared control plane, which watches a namespace
 * that is the class's own, and with nodes. Constructor, method and life cycle parameters of the
 * types {@link OperatorProcess}, {@link Jobs} (of that namespace) and {@link
 * dev.tensorstack.training.fakekubelet.FakeKubelet} are filled in, beside those of {@link
 * ControlPlaneExtension}. All of it is there before the first of them, and ends with the class.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({ControlPlaneExtension.class, OperatorExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public @interface OperatorTest {

  /** What namespace and nodes are called: their names begin with it. */
  String value();

  /** The operator's settings, in addition to the namespace: {@code NAME=value}. */
  String[] env() default {};

  /** Whether it registers its webhooks, by URL. */
  boolean webhooks() default false;

  /** How many fake nodes there are; 0 for no kubelet. */
  int nodes() default 2;
}
