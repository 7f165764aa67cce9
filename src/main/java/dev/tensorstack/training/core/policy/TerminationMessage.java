package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.FailureText.Origin;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a container wrote last: its termination message or the end of its log. With the policy
 * {@code FallbackToLogsOnError} the message is the end of the log, at most 2,048 bytes: of
 * torchrun, its own report, and what is not cut off of the exceptions of the processes before it.
 */
public final class TerminationMessage {

  /** Longer lines are cut: the message stands in conditions and events. */
  private static final int LONGEST = 1_024;

  /** What stands farther from the end is not why a process ended. */
  private static final int END = 4_096;

  private static final String UNSAID = "a process of torchrun failed, its log says why";

  /** The exception of an agent that was told to stop, in elastic/multiprocessing/api.py. */
  public static final String STOPPED = "SignalException";

  /** NCCL's aborts the process when a peer does not answer. */
  private static final String WATCHDOG = "Watchdog caught collective operation timeout";

  /**
   * What gloo, NCCL, the store, torchrun's rendezvous and its agents say when the other end is
   * gone, or when they are told to stop. Sources: gloo's transport/tcp/pair.cc, NCCL's error
   * strings, torch's TCPStore, dynamic_rendezvous.py and elastic/multiprocessing/api.py.
   */
  private static final List<String> CONSEQUENCES =
      List.of(
          "Connection closed by peer",
          "Connection reset by peer",
          "remote worker crashing",
          "GLHF!",
          "Broken pipe",
          "Connection was likely closed",
          "RendezvousConnectionError",
          "RendezvousClosedError",
          "RendezvousTimeoutError",
          "RendezvousGracefulExitError",
          STOPPED,
          "DistNetworkError",
          "ncclRemoteError",
          "remote process exited or there was a network error",
          "NCCL communicator was aborted",
          WATCHDOG);

  /** A store that cannot be opened was never lost, though the error is one of the network. */
  private static final String NO_PORT = "has failed to listen";

  /** Where an agent waits for the others, in the traceback of one that ends there. */
  private static final String MEETING = "next_rendezvous";

  /** What torchrun writes itself once a process has failed: a line of its log, then its report. */
  private static final Pattern FAILED =
      Pattern.compile("(?m)^.*torch/distributed/elastic/multiprocessing/api\\.py.*failed \\(.*$");

  private static final String REPORT = "ChildFailedError";
  private static final String TRACEBACK = "traceback : ";
  private static final String FIRST_FAILURE = "Root Cause (first observed failure):";

  private static final Pattern TIME =
      Pattern.compile("(?m)^ {2}time {6}: (\\d{4}-\\d\\d-\\d\\d)_(\\d\\d:\\d\\d:\\d\\d)\\s*$");
  private static final Pattern SIGNAL =
      Pattern.compile("(?m)^ {2}exitcode {2}: -(\\d+) \\(pid: .*$");

  /** A process of the report: its rank and exit code. */
  private static final Pattern PROCESS =
      Pattern.compile("(?m)^ {2}rank {6}: (\\d{1,9}) \\(.*\\R {2}exitcode {2}: (-?\\d+) ");

  private static final String SIGTERM = "15";
  private static final String SIGKILL = "9";
  private static final String SIGABRT = "6";

  private TerminationMessage() {}

  /**
   * Reads the last words of a container.
   *
   * @param text the termination message or the end of the log, or null
   * @return what it says
   */
  public static FailureText of(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return new FailureText(null, Origin.OWN, null);
    }
    String stripped = text.strip();
    int report = stripped.lastIndexOf(REPORT);
    if (report >= 0 || stripped.contains(FIRST_FAILURE)) {
      // A report of many processes may have lost its own beginning.
      return ofReport(stripped, Math.max(report, 0));
    }
    List<Tracebacks.Exception> exceptions = Tracebacks.in(sinceLastStart(stripped));
    if (exceptions.isEmpty()) {
      String last = stripped.substring(stripped.lastIndexOf('\n') + 1).strip();
      return new FailureText(
          limited(last), isConsequence(last) ? Origin.CONSEQUENCE : Origin.OWN, null);
    }
    Tracebacks.Exception last = exceptions.get(exceptions.size() - 1);
    Tracebacks.Exception own =
        last.ofTorchrun() ? ownOfProcess(exceptions, last.at()) : ownOfRank(exceptions);
    return words(own == null ? last : own, null);
  }

  /** torchrun ended because one of its processes had: what these wrote stands before its report. */
  private static FailureText ofReport(String text, int report) {
    String before = text.substring(0, report);
    Matcher failed = FAILED.matcher(before);
    int from = 0;
    int to = 0;
    while (failed.find()) {
      // torchrun's own restarts have one such line each; the last one is of this end.
      from = to;
      to = failed.start();
    }
    String processes = to == 0 ? before : before.substring(from, to);
    String reported = text.substring(report);
    int first = reported.indexOf(FIRST_FAILURE);
    String culprit = first < 0 ? "" : reported.substring(first);
    LocalDateTime failedAt = time(culprit);

    List<Tracebacks.Exception> exceptions = new ArrayList<>(Tracebacks.in(processes));
    Tracebacks.Exception own = ownOfProcess(exceptions, processes.length());
    if (own == null) {
      // A script whose main function is marked with @record has its traceback in the report.
      List<Tracebacks.Exception> recorded = Tracebacks.in(unindented(culprit));
      exceptions.addAll(recorded);
      own = recorded.stream().filter(TerminationMessage::isOwn).findFirst().orElse(null);
    }
    if (own != null) {
      return words(own, failedAt);
    }
    exceptions.removeIf(one -> one.ofTorchrun() || isOwn(one));
    boolean lost = haveLost(processes, exceptions, reported);
    Matcher signal = SIGNAL.matcher(culprit);
    String number = signal.find() ? signal.group(1) : "";
    boolean killed = number.equals(SIGKILL) && !hasSpoken(culprit, exceptions);
    boolean stopped = number.equals(SIGTERM);
    boolean timedOut = number.equals(SIGABRT) && processes.contains(WATCHDOG);
    boolean gone = stopped || timedOut || (lost && !killed);
    if (gone && !exceptions.isEmpty()) {
      return words(exceptions.get(exceptions.size() - 1), failedAt);
    }
    // After its exception, a process may still crash while Python takes it apart.
    Origin origin = killed ? Origin.OWN : Origin.UNKNOWN;
    return new FailureText(
        number.isEmpty() ? UNSAID : "a process of torchrun was ended by signal " + number,
        gone ? Origin.CONSEQUENCE : origin,
        failedAt);
  }

  /** Whether one of the exceptions may be that of the process which torchrun saw fail first. */
  private static boolean hasSpoken(String culprit, List<Tracebacks.Exception> exceptions) {
    Matcher process = PROCESS.matcher(culprit);
    Integer rank = process.find() ? Integer.valueOf(process.group(1)) : null;
    return exceptions.stream()
        .map(Tracebacks.Exception::rank)
        .anyMatch(one -> one == null || one.equals(rank));
  }

  private static FailureText words(
      Tracebacks.Exception exception, @Nullable LocalDateTime failedAt) {
    boolean own = isOwn(exception);
    // What began it tells more than a collective that failed while it was handled.
    String told = own && isConsequence(exception.last()) ? exception.first() : exception.last();
    return new FailureText(limited(told), own ? Origin.OWN : Origin.CONSEQUENCE, failedAt);
  }

  /** What a process of a group ended with though no peer was gone. */
  private static Tracebacks.@Nullable Exception ownOfRank(List<Tracebacks.Exception> exceptions) {
    return exceptions.stream()
        .filter(one -> one.rank() != null)
        .filter(TerminationMessage::isOwn)
        .findFirst()
        .orElse(null);
  }

  /**
   * The same, or what a process has said right before torchrun's own words: one that is in no group
   * yet does not tell its rank. What stands farther before may have been handled.
   */
  private static Tracebacks.@Nullable Exception ownOfProcess(
      List<Tracebacks.Exception> exceptions, int end) {
    Tracebacks.Exception ofRank = ownOfRank(exceptions);
    return ofRank != null
        ? ofRank
        : exceptions.stream()
            .filter(one -> one.rank() == null && !one.ofTorchrun() && one.at() > end - END)
            .filter(TerminationMessage::isOwn)
            .findFirst()
            .orElse(null);
  }

  private static boolean isOwn(Tracebacks.Exception exception) {
    return !isConsequence(exception.first());
  }

  /**
   * What was written since torchrun has started the processes for the last time; and before, when
   * they cannot be started again: its agents do not meet any more. An agent that ends in another
   * place has survived what was before.
   */
  private static String sinceLastStart(String text) {
    Matcher failed = FAILED.matcher(text);
    int before = 0;
    int last = 0;
    while (failed.find()) {
      before = last;
      last = failed.end();
    }
    String since = text.substring(last);
    boolean started = Tracebacks.in(since).stream().anyMatch(one -> !one.ofTorchrun());
    return started || !since.contains(MEETING) ? since : text.substring(before);
  }

  /** The report indents a traceback by two, and writes a title before its first line. */
  private static String unindented(String report) {
    return report
        .lines()
        .map(line -> line.startsWith("  ") ? line.substring(2) : line)
        .map(line -> line.startsWith(TRACEBACK) ? line.substring(TRACEBACK.length()) : line)
        .collect(Collectors.joining("\n"));
  }

  private static @Nullable LocalDateTime time(String culprit) {
    Matcher time = TIME.matcher(culprit);
    try {
      return time.find() ? LocalDateTime.parse(time.group(1) + "T" + time.group(2)) : null;
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }

  /**
   * Whether the processes of the report have lost a peer. Of several each has to say so, but for
   * those that torchrun has stopped: the words of the one that matters may be cut off.
   */
  private static boolean haveLost(String words, List<Tracebacks.Exception> lost, String reported) {
    Set<Integer> ranks = lost.stream().map(Tracebacks.Exception::rank).collect(Collectors.toSet());
    List<MatchResult> processes = PROCESS.matcher(reported).results().toList();
    if (processes.size() <= 1) {
      return !lost.isEmpty() || hasLost(words);
    }
    return lost.size() >= processes.size()
        || processes.stream()
            .filter(one -> !one.group(2).equals("-" + SIGTERM))
            .allMatch(one -> ranks.contains(Integer.valueOf(one.group(1))));
  }

  private static boolean hasLost(String text) {
    return isConsequence(text.substring(Math.max(0, text.length() - END)));
  }

  private static boolean isConsequence(String text) {
    return CONSEQUENCES.stream().anyMatch(text::contains) && !text.contains(NO_PORT);
  }

  private static String limited(String line) {
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
