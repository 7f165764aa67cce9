/** Every name, label, annotation and environment variable that the operator gives, in one place. */
@NullMarked
package dev.tensorstack.training.naming;

import org.jspecify.annotations.NullMarked;
