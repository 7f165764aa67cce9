package dev.tensorstack.training.core.observe;

import java.util.Map;
import java.util.Set;

/**
 * The Services that give a job's pods their DNS names.
 *
 * @param uids those that exist, by name, each with its uid; without those that are being deleted
 * @param inTheWay names that cannot be created now: the Service is being deleted, or this process
 *     has created it, or is creating it, and the watch has not shown it yet
 */
public record ObservedServices(Map<String, String> uids, Set<String> inTheWay) {

  /** There are none. */
  public static final ObservedServices NONE = new ObservedServices(Map.of(), Set.of());

  /**
   * Whether a Service need not, or cannot, be created now.
   *
   * @param name its name
   * @return false when it is missing
   */
  public boolean exists(String name) {
    return uids.containsKey(name) || inTheWay.contains(name);
  }
}
