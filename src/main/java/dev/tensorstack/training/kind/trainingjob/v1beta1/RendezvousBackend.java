package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** torchrun's rendezvous backends. */
public enum RendezvousBackend {
  /** A TCP store on the master; the only one for elastic jobs. */
  @JsonProperty("c10d")
  C10D,
  /** Fixed ranks without a rendezvous. */
  @JsonProperty("static")
  STATIC,
  /** etcd through its v3 client. */
  @JsonProperty("etcd")
  ETCD,
  /** etcd through its v2 client. */
  @JsonProperty("etcd-v2")
  ETCD_V2
}
