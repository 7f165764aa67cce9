package dev.tensorstack.training.kind;

/** A job whose spec and status are read by a {@link TolerantReader} each. */
public interface ReadInParts {

  /**
   * Remembers that a part of this object could not be read.
   *
   * @param part the field, such as {@code spec.replicaSpecs[0].replicas}
   * @param problem what is wrong with it
   */
  void markUnreadable(String part, String problem);
}
