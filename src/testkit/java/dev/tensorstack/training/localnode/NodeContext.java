package dev.tensorstack.training.localnode;

import java.util.function.BooleanSupplier;

/**
 * What the pods of one node share.
 *
 * @param options the node's options
 * @param api where statuses go
 * @param objects where ConfigMaps, Secrets and Services are read
 * @param addresses the cluster's addresses
 * @param directory the node's files
 * @param connected false while the node plays that it is lost: nothing is written then
 */
record NodeContext(
    LocalNodeOptions options,
    PodApi api,
    ClusterObjects objects,
    PodAddresses addresses,
    NodeDirectory directory,
    BooleanSupplier connected) {}
