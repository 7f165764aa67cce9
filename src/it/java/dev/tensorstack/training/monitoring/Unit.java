package dev.tensorstack.training.monitoring;

import java.util.Locale;

/** How Grafana writes numbers of the units that the dashboards use. */
final class Unit {

  private Unit() {}

  /**
   * A number in words.
   *
   * @param unit as in a dashboard: {@code s}, {@code bytes}, {@code percentunit} or {@code short}
   */
  static String write(double value, String unit) {
    return write(value, unit, -1);
  }

  /**
   * A number in words.
   *
   * @param unit as above
   * @param decimals how many digits follow the point; -1 when it depends on the number
   */
  static String write(double value, String unit, int decimals) {
    if (Double.isNaN(value)) {
      return "No data";
    }
    return switch (unit) {
      case "s" -> time(value);
      case "bytes" -> scaled(value, 1024, new String[] {" B", " KiB", " MiB", " GiB"});
      case "percentunit" -> number(value * 100) + "%";
      default ->
          decimals == 0
              ? Long.toString(Math.round(value))
              : scaled(value, 1000, new String[] {"", " K", " Mil", " Bil"});
    };
  }

  private static String time(double seconds) {
    double size = Math.abs(seconds);
    if (size == 0) {
      return "0 s";
    }
    if (size < 0.001) {
      return number(seconds * 1_000_000) + " µs";
    }
    if (size < 1) {
      return number(seconds * 1000) + " ms";
    }
    if (size < 60) {
      return number(seconds) + " s";
    }
    if (size < 3600) {
      return number(seconds / 60) + " min";
    }
    return size < 86_400 ? number(seconds / 3600) + " hours" : number(seconds / 86_400) + " days";
  }

  private static String scaled(double value, double base, String[] names) {
    double scaled = value;
    int step = 0;
    while (Math.abs(scaled) >= base && step < names.length - 1) {
      scaled /= base;
      step++;
    }
    return number(scaled) + names[step];
  }

  /** Three digits that matter, without noughts at the end. */
  static String number(double value) {
    double size = Math.abs(value);
    int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    String text = String.format(Locale.ROOT, "%." + digits + "f", value);
    return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
  }
}
