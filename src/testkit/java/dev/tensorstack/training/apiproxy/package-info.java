/** A proxy between the operator and the API server that records, holds up and spoils requests. */
@NullMarked
package dev.tensorstack.training.apiproxy;

import org.jspecify.annotations.NullMarked;
