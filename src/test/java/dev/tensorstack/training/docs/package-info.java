/** Checks of the documentation: links, code blocks, names, and the commands in it. */
@NullMarked
package dev.tensorstack.training.docs;

import org.jspecify.annotations.NullMarked;
