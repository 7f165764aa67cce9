/** The admission webhooks: HTTP, AdmissionReview, JSON patch, dry run of pods. */
@NullMarked
package dev.tensorstack.training.webhook;

import org.jspecify.annotations.NullMarked;
