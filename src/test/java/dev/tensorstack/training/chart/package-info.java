/** The Helm chart: its files, what it renders, and what an API server says of that. */
@NullMarked
package dev.tensorstack.training.chart;

import org.jspecify.annotations.NullMarked;
