package dev.tensorstack.training.metrics;

/** Writes down all metrics as they are now. */
public interface Exposition {

  /**
   * The metrics as text.
   *
   * @param contentType one of the formats of {@link ExpositionFormat}
   * @return the text in this format
   */
  String text(String contentType);
}
