package dev.tensorstack.training.progress;

/** Is told when a report is turned away that may have been a good one. */
public interface MissedReports {

  /** It may have been anybody's. */
  void ofAnybody();

  /**
   * Where it came from is known.
   *
   * @param address the IP address of a pod, or of the node whose network it uses
   */
  void from(String address);
}
