/**
 * The certificate that the webhooks serve: made, kept in a Secret or read from files, renewed, and
 * exchanged while the server runs (docs/operations/webhooks.md).
 */
@NullMarked
package dev.tensorstack.training.tls.certificate;

import org.jspecify.annotations.NullMarked;
