/** From plan and observation to the status and the events to report. Pure. */
@NullMarked
package dev.tensorstack.training.core.report;

import org.jspecify.annotations.NullMarked;
