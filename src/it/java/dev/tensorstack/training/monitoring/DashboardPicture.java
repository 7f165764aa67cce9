package dev.tensorstack.training.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.monitoring.Dashboard.Panel;
import dev.tensorstack.training.monitoring.Dashboard.Place;
import dev.tensorstack.training.monitoring.Dashboard.Target;
import dev.tensorstack.training.monitoring.Series.Point;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A picture of a dashboard with the answers of a real Prometheus: its panels in their places, with
 * their titles, units, legends and thresholds, much as Grafana draws them.
 */
final class DashboardPicture {

  private static final int COLUMN = 50;
  private static final int LINE = 30;
  private static final int HEAD = 40;
  private static final int GAP = 4;
  private static final int TITLE = 22;
  private static final int LEFT = 58;
  private static final int LEGEND_ROW = 15;

  private static final List<String> COLOURS =
      List.of(
          "#56a64b", "#e0a500", "#3274d9", "#e55400", "#e02f44", "#8f3bb8", "#1f9e9e", "#7d5a3c",
          "#6b7c93", "#c2417c");
  private static final Map<String, String> NAMED =
      Map.of(
          "green",
          "#37872d",
          "orange",
          "#e55400",
          "red",
          "#c4162a",
          "blue",
          "#3274d9",
          "yellow",
          "#e0a500",
          "light-blue",
          "#8ab8ff",
          "purple",
          "#8f3bb8",
          "text",
          "#24292e");

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  private final Dashboard dashboard;
  private final double begin;
  private final double end;
  private final Svg svg = new Svg();

  /** What a panel shows of one series. */
  private record Line(String name, String colour, Series series) {}

  /** A part of the picture, in pixels. */
  private record Box(double x, double y, double width, double height) {
    double bottom() {
      return y + height;
    }

    double right() {
      return x + width;
    }
  }

  DashboardPicture(Dashboard dashboard, Instant begin, Instant end) {
    this.dashboard = dashboard;
    this.begin = begin.toEpochMilli() / 1000.0;
    this.end = end.toEpochMilli() / 1000.0;
  }

  /**
   * Draws it.
   *
   * @param answers what Prometheus says to a query
   * @return an SVG document
   */
  String draw(Function<Target, List<Series>> answers) {
    int lines =
        dashboard.panels().stream()
            .mapToInt(panel -> panel.place().y() + panel.place().height())
            .max()
            .orElse(0);
    int width = 24 * COLUMN;
    int height = HEAD + lines * LINE;
    svg.rectangle(0, 0, width, height, "#f4f5f5", "none");
    svg.text(12, 26, dashboard.title(), 17, "#24292e", "start", true);
    for (Panel panel : dashboard.panels()) {
      Place place = panel.place();
      Box box =
          new Box(
              place.x() * COLUMN + GAP / 2.0,
              HEAD + place.y() * LINE + GAP / 2.0,
              place.width() * COLUMN - GAP,
              place.height() * LINE - GAP);
      if (panel.type().equals("row")) {
        svg.text(box.x() + 8, box.y() + 19, panel.title(), 14, "#24292e", "start", true);
      } else {
        panel(panel, box, lines(panel, answers));
      }
    }
    return svg.document(width, height);
  }

  private List<Line> lines(Panel panel, Function<Target, List<Series>> answers) {
    List<Line> lines = new ArrayList<>();
    for (Target target : panel.targets()) {
      answers.apply(target).stream()
          .filter(Series::hasData)
          .map(series -> new Line(target.legend(series), "", series))
          .sorted(
              panel.type().equals("bargauge")
                  ? Comparator.comparing((Line line) -> -line.series().last())
                  : Comparator.comparing(Line::name))
          .forEach(
              line ->
                  lines.add(
                      new Line(
                          line.name(),
                          panel
                              .fixedColour(line.name())
                              .map(colour -> NAMED.getOrDefault(colour, colour))
                              .orElse(COLOURS.get(lines.size() % COLOURS.size())),
                          line.series())));
    }
    return lines;
  }

  private void panel(Panel panel, Box box, List<Line> lines) {
    svg.rectangle(box.x(), box.y(), box.width(), box.height(), "#ffffff", "#dcdfe3");
    svg.text(box.x() + 8, box.y() + 16, panel.title(), 12, "#24292e", "start", true);
    Box inside =
        new Box(box.x() + 8, box.y() + TITLE + 4, box.width() - 16, box.height() - TITLE - GAP - 6);
    if (lines.isEmpty()) {
      svg.text(
          box.x() + box.width() / 2,
          box.y() + box.height() / 2 + 8,
          "No data",
          13,
          "#8e8e8e",
          "middle",
          false);
      return;
    }
    switch (panel.type()) {
      case "stat" -> stat(panel, inside, lines.get(0).series().last());
      case "bargauge" -> bars(panel, inside, lines);
      case "heatmap" -> heatmap(inside, lines);
      default -> curves(panel, inside, lines);
    }
  }

  private void stat(Panel panel, Box box, double value) {
    svg.text(
        box.x() + box.width() / 2,
        box.y() + box.height() / 2 + 14,
        Unit.write(value, panel.unit(), panel.decimals()),
        34,
        colour(panel, value),
        "middle",
        true);
  }

  /** That of the highest threshold that the value reaches. */
  private static String colour(Panel panel, double value) {
    String colour = "text";
    for (JsonNode step : panel.definition().at("/fieldConfig/defaults/thresholds/steps")) {
      if (step.path("value").isNull() || value >= step.path("value").asDouble()) {
        colour = step.path("color").asText();
      }
    }
    return NAMED.getOrDefault(colour, "#24292e");
  }

  private void bars(Panel panel, Box box, List<Line> lines) {
    double most = lines.stream().mapToDouble(line -> line.series().last()).max().orElse(1);
    double step = Math.min(30, box.height() / lines.size());
    double names = Math.min(box.width() * 0.5, 190);
    double length = box.width() - names - 60;
    for (int i = 0; i < lines.size(); i++) {
      double value = lines.get(i).series().last();
      double y = box.y() + i * step;
      svg.text(
          box.x() + names - 6, y + step / 2 + 4, lines.get(i).name(), 11, "#24292e", "end", false);
      svg.rectangle(box.x() + names, y + 2, length, step - 5, "#eef0f2", "none");
      svg.rectangle(
          box.x() + names,
          y + 2,
          length * value / most,
          step - 5,
          panel.fixedColour(lines.get(i).name()).isPresent()
              ? lines.get(i).colour()
              : colour(panel, value),
          "none");
      svg.text(
          box.right() - 2,
          y + step / 2 + 4,
          Unit.write(value, panel.unit(), panel.decimals()),
          11,
          "#24292e",
          "end",
          true);
    }
  }

  private void curves(Panel panel, Box box, List<Line> lines) {
    List<List<Line>> legend = legendRows(lines, box.width());
    Box plot =
        new Box(
            box.x() + LEFT,
            box.y() + 4,
            box.width() - LEFT - 6,
            box.height() - 24 - legend.size() * LEGEND_ROW);
    List<Line> drawn = panel.isStacked() ? stacked(lines) : lines;
    double top = 0;
    for (Line line : drawn) {
      for (Point point : line.series().points()) {
        if (Double.isFinite(point.value())) {
          top = Math.max(top, point.value());
        }
      }
    }
    double tick = tick(top == 0 ? 1 : top, panel.unit());
    top = tick * Math.max(1, Math.ceil(top / tick - 1e-9));
    axes(plot, top, tick, panel.unit());
    for (int i = drawn.size() - 1; i >= 0; i--) {
      curve(plot, drawn.get(i), top, panel.isStacked());
    }
    double y = plot.bottom() + 32;
    for (List<Line> row : legend) {
      double x = box.x() + 4;
      for (Line line : row) {
        svg.rectangle(x, y - 6, 12, 3, line.colour(), "none");
        svg.text(x + 16, y, line.name(), 11, "#24292e", "start", false);
        x += legendWidth(line);
      }
      y += LEGEND_ROW;
    }
  }

  private static List<List<Line>> legendRows(List<Line> lines, double width) {
    List<List<Line>> rows = new ArrayList<>();
    double used = width + 1;
    for (Line line : lines) {
      if (used + legendWidth(line) > width) {
        rows.add(new ArrayList<>());
        used = 0;
      }
      rows.get(rows.size() - 1).add(line);
      used += legendWidth(line);
    }
    return rows;
  }

  private static double legendWidth(Line line) {
    return 30 + line.name().length() * 6.8;
  }

  /** Each on top of those before it. */
  private static List<Line> stacked(List<Line> lines) {
    List<Line> result = new ArrayList<>();
    Map<Double, Double> sums = new java.util.HashMap<>();
    for (Line line : lines) {
      List<Point> points = new ArrayList<>();
      for (Point point : line.series().points()) {
        double value = Double.isFinite(point.value()) ? point.value() : 0;
        points.add(new Point(point.time(), sums.merge(point.time(), value, Double::sum)));
      }
      result.add(new Line(line.name(), line.colour(), new Series(line.series().labels(), points)));
    }
    return result;
  }

  /** About four lines, at round numbers. */
  private static double tick(double top, String unit) {
    if (unit.equals("bytes")) {
      double base = Math.pow(2, Math.floor(Math.log(top / 4) / Math.log(2)));
      return top / base > 6 ? 2 * base : base;
    }
    if (unit.equals("s") && top >= 60) {
      double whole = top >= 86_400 ? 86_400 : top >= 3600 ? 3600 : 60;
      return whole * tick(top / whole, "short");
    }
    double power = Math.pow(10, Math.floor(Math.log10(top / 4)));
    for (double factor : new double[] {1, 2, 5, 10}) {
      if (top / (factor * power) <= 5) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private void axes(Box plot, double top, double tick, String unit) {
    for (int i = 0; i * tick <= top * 1.0001; i++) {
      double y = plot.bottom() - plot.height() * i * tick / top;
      svg.line(plot.x(), y, plot.right(), y, "#e4e7ea");
      svg.text(plot.x() - 5, y + 4, Unit.write(i * tick, unit), 10, "#5a6068", "end", false);
    }
    times(plot);
  }

  private void times(Box plot) {
    int parts = Math.max(2, (int) (plot.width() / 90));
    for (int i = 0; i < parts; i++) {
      double share = (i + 0.5) / parts;
      double time = begin + (end - begin) * share;
      svg.text(
          plot.x() + plot.width() * share,
          plot.bottom() + 14,
          CLOCK.format(Instant.ofEpochMilli((long) (time * 1000))),
          10,
          "#5a6068",
          "middle",
          false);
    }
  }

  private void curve(Box plot, Line line, double top, boolean filled) {
    StringBuilder path = new StringBuilder();
    double firstX = Double.NaN;
    double lastX = Double.NaN;
    double lastTime = Double.NaN;
    List<Point> points = line.series().points();
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i);
      if (!Double.isFinite(point.value())) {
        lastTime = Double.NaN;
        continue;
      }
      double x = plot.x() + plot.width() * (point.time() - begin) / (end - begin);
      double y = plot.bottom() - plot.height() * Math.max(0, point.value()) / top;
      boolean alone =
          Double.isNaN(lastTime)
              && (i + 1 == points.size() || !Double.isFinite(points.get(i + 1).value()));
      if (alone) {
        svg.rectangle(x - 1.5, y - 1.5, 3, 3, line.colour(), "none");
        continue;
      }
      path.append(Double.isNaN(lastTime) ? "M" : "L").append(Svg.pair(x, y));
      firstX = Double.isNaN(firstX) ? x : firstX;
      lastX = x;
      lastTime = point.time();
    }
    if (path.isEmpty()) {
      return;
    }
    if (filled) {
      svg.area(
          path + "L" + Svg.pair(lastX, plot.bottom()) + "L" + Svg.pair(firstX, plot.bottom()) + "Z",
          line.colour());
    }
    svg.path(path.toString(), line.colour());
  }

  /** Buckets upwards, time to the right; the darker, the more. */
  private void heatmap(Box box, List<Line> lines) {
    List<Line> buckets =
        lines.stream()
            .filter(line -> !line.name().equals("+Inf"))
            .sorted(Comparator.comparing(line -> Double.valueOf(line.name())))
            .toList();
    Box plot = new Box(box.x() + LEFT, box.y() + 4, box.width() - LEFT - 6, box.height() - 24);
    double height = plot.height() / buckets.size();
    double most = 0;
    List<List<Point>> cells = new ArrayList<>();
    for (int i = 0; i < buckets.size(); i++) {
      List<Point> row = new ArrayList<>();
      for (Point point : buckets.get(i).series().points()) {
        double below = i == 0 ? 0 : at(buckets.get(i - 1).series(), point.time());
        row.add(new Point(point.time(), Math.max(0, point.value() - below)));
        most = Math.max(most, point.value() - below);
      }
      cells.add(row);
    }
    for (int i = 0; i < buckets.size(); i++) {
      double y = plot.bottom() - (i + 1) * height;
      svg.text(
          plot.x() - 5,
          y + height / 2 + 4,
          Unit.write(Double.parseDouble(buckets.get(i).name()), "s"),
          10,
          "#5a6068",
          "end",
          false);
      int columns = 60;
      double[] counts = new double[columns];
      for (Point point : cells.get(i)) {
        int column = (int) ((point.time() - begin) / (end - begin) * columns);
        counts[Math.min(columns - 1, Math.max(0, column))] =
            Math.max(counts[Math.min(columns - 1, Math.max(0, column))], point.value());
      }
      for (int column = 0; column < columns; column++) {
        if (counts[column] > 0) {
          svg.shade(
              plot.x() + plot.width() * column / columns,
              y,
              plot.width() / columns,
              height - 0.5,
              "#1250b0",
              0.15 + 0.85 * counts[column] / most);
        }
      }
    }
    times(plot);
  }

  private static double at(Series series, double time) {
    return series.points().stream()
        .filter(point -> point.time() == time)
        .mapToDouble(Point::value)
        .findFirst()
        .orElse(0);
  }
}
