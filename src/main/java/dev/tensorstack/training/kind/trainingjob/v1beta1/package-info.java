/**
 * The types of {@code batch.tensorstack.dev/v1beta1}: data as the user wrote it, nothing else.
 * Every field may be absent; defaults are the admission package's business. Values with a closed
 * set of words are strings here, so that a word this version does not know never makes an object
 * unreadable; the schema lists the words. What a component means is said once, in its description,
 * from which the CRD's and the reference page's texts are made; every component is null when the
 * user did not give it.
 */
package dev.tensorstack.training.kind.trainingjob.v1beta1;
