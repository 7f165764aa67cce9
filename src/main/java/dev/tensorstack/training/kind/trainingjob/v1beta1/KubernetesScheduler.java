package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** The gang scheduling of Kubernetes itself; it has no settings. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record KubernetesScheduler() {}
