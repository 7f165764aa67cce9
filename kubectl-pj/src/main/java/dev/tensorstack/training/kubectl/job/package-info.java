/** Jobs of both kinds, their pods and ranks, read from what the API server says. Pure. */
@NullMarked
package dev.tensorstack.training.kubectl.job;

import org.jspecify.annotations.NullMarked;
