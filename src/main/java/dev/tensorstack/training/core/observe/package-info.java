/**
 * What the operator sees of a job's world at one moment: immutable records, made from API objects.
 */
@NullMarked
package dev.tensorstack.training.core.observe;

import org.jspecify.annotations.NullMarked;
