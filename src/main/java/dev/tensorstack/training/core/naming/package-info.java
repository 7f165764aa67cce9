/** Every name, label, annotation and environment variable that the operator gives, in one place. */
@NullMarked
package dev.tensorstack.training.core.naming;

import org.jspecify.annotations.NullMarked;
