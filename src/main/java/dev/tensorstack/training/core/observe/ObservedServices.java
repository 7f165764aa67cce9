package dev.tensorstack.training.core.observe;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The Services that give a job's pods their DNS names.
 *
 * @param uids those that exist, by name, each with its uid
 * @param sent names of those that this process has created, or is creating, and that the watch has
 *     not shown yet
 */
public record ObservedServices(Map<String, String> uids, Set<String> sent) {

  /** There are none. */
  public static final ObservedServices NONE = new ObservedServices(Map.of(), Set.of());

  /**
   * Services that exist.
   *
   * @param names their names
   * @return the Services, with uids made from their names
   */
  public static ObservedServices named(String... names) {
    Map<String, String> uids = new HashMap<>();
    for (String name : names) {
      uids.put(name, "uid-of-" + name);
    }
    return new ObservedServices(uids, Set.of());
  }

  /**
   * Whether a Service need not be created.
   *
   * @param name its name
   * @return true when it exists or is being created
   */
  public boolean exists(String name) {
    return uids.containsKey(name) || sent.contains(name);
  }
}
