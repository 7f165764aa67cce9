/** From spec, observation, ledger and the present time to the actions to take. Pure. */
@NullMarked
package dev.tensorstack.training.core.plan;

import org.jspecify.annotations.NullMarked;
