package dev.tensorstack.training.observation;

/**
 * One replica of a job, whichever pod it runs in at present.
 *
 * @param type the replica type
 * @param index the index in the type, from 0
 */
public record ReplicaId(String type, int index) {
  @Override
  public String toString() {
    return type + "-" + index;
  }
}
