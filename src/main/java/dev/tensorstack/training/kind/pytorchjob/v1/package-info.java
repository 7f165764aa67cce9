/**
 * The types of {@code kubeflow.org/v1} as far as a {@code PyTorchJob} has them: data as the user
 * wrote it, nothing else. Every field may be absent; defaults are the admission package's business.
 * Values with a closed set of words are strings here and in the schema, as in Kubeflow's own, so
 * that a word this version does not know never makes an object unreadable or a stored one invalid:
 * the rules know the words. What a component means is said once, in its description, from which the
 * CRD's texts are made; every component is null when the user did not give it.
 */
package dev.tensorstack.training.kind.pytorchjob.v1;
