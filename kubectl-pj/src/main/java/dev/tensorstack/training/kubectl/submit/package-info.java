/** From a script to the objects that run it. */
@NullMarked
package dev.tensorstack.training.kubectl.submit;

import org.jspecify.annotations.NullMarked;
