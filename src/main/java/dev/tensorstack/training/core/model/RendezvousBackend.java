package dev.tensorstack.training.core.model;

/** torchrun's rendezvous backends. */
public enum RendezvousBackend {
  /** A TCP store on the master; the only one for elastic jobs. */
  C10D("c10d"),
  /** Fixed ranks without a rendezvous. */
  STATIC("static"),
  /** etcd through its v3 client. */
  ETCD("etcd"),
  /** etcd through its v2 client. */
  ETCD_V2("etcd-v2");

  private final String option;

  RendezvousBackend(String option) {
    this.option = option;
  }

  /**
   * The value of torchrun's {@code --rdzv_backend}.
   *
   * @return the word
   */
  public String option() {
    return option;
  }

  /**
   * Whether an etcd server holds the rendezvous, instead of the master.
   *
   * @return true for both clients of etcd
   */
  public boolean isEtcd() {
    return this == ETCD || this == ETCD_V2;
  }
}
