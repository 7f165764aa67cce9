/** Logs of many pods at once, line by line. */
@NullMarked
package dev.tensorstack.training.kubectl.log;

import org.jspecify.annotations.NullMarked;
