package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Pod;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hands out one loopback address per pod identity, 127.1.0.1 to 127.254.255.254.
 *
 * <p>The address follows from the identity (cluster, namespace, subdomain, host name) alone, so
 * that it is known before the pod exists and is the same for its replacement and in every process;
 * only when two identities of one process would share an address, the later one gets the next free
 * one.
 */
final class PodAddresses {
  private static final Map<String, PodAddresses> CLUSTERS = new ConcurrentHashMap<>();
  private static final int SPACE = 254 * 256 * 254;

  private final String cluster;
  private final Map<String, String> byIdentity = new ConcurrentHashMap<>();
  private final Map<String, String> byAddress = new ConcurrentHashMap<>();

  private PodAddresses(String cluster) {
    this.cluster = cluster;
  }

  /**
   * The addresses of one cluster, shared by all nodes of this process.
   *
   * @param cluster what tells clusters on this machine apart, such as the API server's URL
   * @return always the same instance for the same cluster
   */
  static PodAddresses of(String cluster) {
    return CLUSTERS.computeIfAbsent(cluster, PodAddresses::new);
  }

  /**
   * The address of a host name behind a headless Service.
   *
   * @param namespace the namespace
   * @param subdomain the Service's name, empty for a pod without one
   * @param hostname the pod's host name
   * @return an IPv4 address, never null
   */
  String addressOf(String namespace, String subdomain, String hostname) {
    String identity = namespace + "/" + subdomain + "/" + hostname;
    String known = byIdentity.get(identity);
    return known != null ? known : assign(identity);
  }

  /**
   * The address of a pod.
   *
   * @param pod the pod; one in the host's network gets the node's address
   * @return an IPv4 address, never null
   */
  String addressOf(Pod pod) {
    if (Boolean.TRUE.equals(pod.getSpec().getHostNetwork())) {
      return "127.0.0.1";
    }
    String subdomain = pod.getSpec().getSubdomain();
    return addressOf(
        pod.getMetadata().getNamespace(), subdomain == null ? "" : subdomain, hostname(pod));
  }

  /**
   * The host name of a pod.
   *
   * @param pod the pod
   * @return {@code spec.hostname}, else the pod's name cut to 63 characters
   */
  static String hostname(Pod pod) {
    String hostname = pod.getSpec().getHostname();
    if (hostname != null && !hostname.isEmpty()) {
      return hostname;
    }
    String name = pod.getMetadata().getName();
    return name.length() <= 63 ? name : name.substring(0, 63).replaceAll("[.-]+$", "");
  }

  private synchronized String assign(String identity) {
    String known = byIdentity.get(identity);
    if (known != null) {
      return known;
    }
    int slot = slot(cluster + "|" + identity);
    String address = address(slot);
    while (byAddress.putIfAbsent(address, identity) != null) {
      slot = (slot + 1) % SPACE;
      address = address(slot);
    }
    byIdentity.put(identity, address);
    return address;
  }

  private static String address(int slot) {
    return "127." + (1 + slot / 254 / 256) + "." + (slot / 254 % 256) + "." + (1 + slot % 254);
  }

  private static int slot(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      int number = (hash[0] & 0x7f) << 24 | (hash[1] & 0xff) << 16 | (hash[2] & 0xff) << 8;
      return (number | (hash[3] & 0xff)) % SPACE;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
