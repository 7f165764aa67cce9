/**
 * Makes the API server call the webhooks and trust their certificate, and says when that is so
 * (docs/operations/webhooks.md).
 */
@NullMarked
package dev.tensorstack.training.tls.registration;

import org.jspecify.annotations.NullMarked;
