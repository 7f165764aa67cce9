/** What the engine and the webhooks know of a kind of job; each kind is a package of its own. */
@NullMarked
package dev.tensorstack.training.kind;

import org.jspecify.annotations.NullMarked;
