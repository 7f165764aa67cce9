/** The Kubernetes API, with a user's rights: requests, streams, feeds of changes. */
@NullMarked
package dev.tensorstack.training.kubectl.api;

import org.jspecify.annotations.NullMarked;
