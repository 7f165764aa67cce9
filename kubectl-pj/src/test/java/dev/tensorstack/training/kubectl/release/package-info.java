/** What a release of the plugin is made of. */
@NullMarked
package dev.tensorstack.training.kubectl.release;

import org.jspecify.annotations.NullMarked;
