package dev.tensorstack.training.kind.pytorchjob.v1;

import java.util.Arrays;
import java.util.List;

/** Where the agents of torchrun meet. */
public enum RdzvBackend {
  /** In a store of the first agent's own. */
  C10D("c10d"),
  /** In an etcd. */
  ETCD("etcd"),
  /** In an etcd, with the second version of its API. */
  ETCD_V2("etcd-v2");

  private final String word;

  RdzvBackend(String word) {
    this.word = word;
  }

  /**
   * How jobs spell it.
   *
   * @return the word
   */
  public String word() {
    return word;
  }

  /**
   * How jobs spell all of them.
   *
   * @return the words
   */
  public static List<String> words() {
    return Arrays.stream(values()).map(RdzvBackend::word).toList();
  }
}
