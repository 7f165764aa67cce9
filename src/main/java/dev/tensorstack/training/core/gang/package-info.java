/** One file for each gang scheduler (docs/design/gang.md). */
@NullMarked
package dev.tensorstack.training.core.gang;

import org.jspecify.annotations.NullMarked;
