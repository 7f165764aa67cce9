/** What must be remembered of a job beyond its pods' lives, and its stored form. */
@NullMarked
package dev.tensorstack.training.core.ledger;

import org.jspecify.annotations.NullMarked;
