package dev.tensorstack.training.core.model;

/** How the pods of a job get their DNS names. */
public enum ServiceLayout {
  /** One headless Service, whose name is the pods' subdomain. */
  ONE_FOR_ALL_PODS,
  /** A headless Service for each replica, whose name is the replica's. */
  ONE_PER_REPLICA
}
