/** A user's session with the packaged plugin, on a real control plane. */
@NullMarked
package dev.tensorstack.training.kubectl.session;

import org.jspecify.annotations.NullMarked;
