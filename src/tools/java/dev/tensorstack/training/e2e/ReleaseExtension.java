package dev.tensorstack.training.e2e;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/** Gives a test class the {@link Release}, installed once for all of them; says what is skipped. */
final class ReleaseExtension
    implements ParameterResolver, TestWatcher, LifecycleMethodExecutionExceptionHandler {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Release.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Release release =
        context
            .getRoot()
            .getStore(Namespace.create(ReleaseExtension.class))
            .computeIfAbsent(Release.class, key -> new Release(), Release.class);
    release.install();
    return release;
  }

  /** All of a class is skipped. */
  @Override
  public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable cause)
      throws Throwable {
    if (cause instanceof TestAbortedException) {
      testAborted(context, cause);
    }
    throw cause;
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    String reason = cause == null ? "no reason given" : cause.getMessage();
    System.out.printf("e2e: SKIPPED %s: %s%n", context.getDisplayName(), reason);
  }
}
