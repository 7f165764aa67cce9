/**
 * The operator's image, installed from the chart on a real cluster; docs/operations/e2e.md.
 *
 * <p>The classes' names end in {@code E2E}, so that only the profile {@code e2e} runs them.
 */
@NullMarked
package dev.tensorstack.training.e2e;

import org.jspecify.annotations.NullMarked;
