package dev.tensorstack.training.operator;

import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class with an operator of its own on the shared control plane, which watches namespaces
 * that are the class's own, and with nodes. Constructor, method and life cycle parameters of the
 * types {@link OperatorProcess}, {@link Jobs} (of the first namespace), {@code Jobs[]} (of each),
 * {@link dev.tensorstack.training.fakekubelet.FakeKubelet} and {@link
 * dev.tensorstack.training.apiproxy.ApiProxy} are filled in, beside those of {@link
 * ControlPlaneExtension}. All of it is there before the first of them and before the first test,
 * and ends after all tests and what the class does then: the operator, the proxy, the nodes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({ControlPlaneExtension.class, OperatorExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public @interface OperatorTest {

  /**
   * What the namespaces are called: their names begin with it. Those of the nodes begin with the
   * first, and each node has the label {@code pool} with the name of the first namespace.
   */
  String[] value();

  /** Whether there is an operator; if not, tests start their own. */
  boolean operator() default true;

  /** The operator's settings, in addition to the namespaces: {@code NAME=value}. */
  String[] env() default {};

  /** Whether its settings begin with {@link OperatorProcess#SHORT_DELAYS}. */
  boolean shortDelays() default false;

  /** Whether it registers its webhooks, by URL. */
  boolean webhooks() default false;

  /** Whether there is a proxy, through which the operator reaches the API server. */
  boolean proxy() default false;

  /** How many fake nodes there are; 0 for no kubelet. */
  int nodes() default 2;

  /** How long a deleted pod takes to end, in milliseconds. */
  int deletionMillis() default 0;

  /** With which exit code the containers of a deleted pod end. */
  int deletionExitCode() default 143;
}
