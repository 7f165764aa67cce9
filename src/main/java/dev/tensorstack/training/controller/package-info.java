/** The edge: observes, executes and reports through the Kubernetes API. */
@NullMarked
package dev.tensorstack.training.controller;

import org.jspecify.annotations.NullMarked;
