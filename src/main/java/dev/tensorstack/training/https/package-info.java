/**
 * What the HTTPS servers beside that of the webhooks have in common: connections and their limits,
 * and what is known of the tokens of those who call.
 */
@NullMarked
package dev.tensorstack.training.https;

import org.jspecify.annotations.NullMarked;
