package dev.tensorstack.training.core.policy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a container's termination message says of its failure. With the policy {@code
 * FallbackToLogsOnError} it is the end of the log, at most 2,048 bytes: of torchrun, the exception
 * of the script, if it is not cut off, and torchrun's own report behind it.
 *
 * @param summary one line for people: the exception, or a short message as it is; null when the
 *     text tells nothing
 * @param lostPeer whether the process failed because a peer was gone, so that it is the consequence
 *     of another failure
 */
public record TerminationMessage(@Nullable String summary, boolean lostPeer) {

  private static final TerminationMessage NOTHING = new TerminationMessage(null, false);

  /** Longer lines are cut: the message stands in conditions and events. */
  private static final int LONGEST = 1_024;

  /**
   * What gloo, NCCL, the store and torchrun's rendezvous say when the other end is gone. Sources:
   * gloo's transport/tcp/pair.cc, NCCL's error strings, torch's TCPStore and dynamic_rendezvous.py.
   */
  private static final List<String> LOST_PEER =
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
          "DistNetworkError",
          "ncclRemoteError",
          "remote process exited or there was a network error",
          "NCCL communicator was aborted",
          "Watchdog caught collective operation timeout");

  /** The last line of a Python traceback, with the prefix that torch gives each rank's. */
  private static final Pattern EXCEPTION =
      Pattern.compile(
          "(?m)^(?:\\[[^\\]\\s]*rank\\d+\\]:\\s*)?"
              + "((?:[A-Za-z_]\\w*\\.)*[A-Z]\\w*(?:Error|Exception|Interrupt|Exit)(?::.*)?)$");

  /** The first line that torchrun writes itself once a process has failed. */
  private static final Pattern TORCHRUN =
      Pattern.compile("(?m)^.*torch/distributed/elastic/multiprocessing/api\\.py.*failed.*$");

  /**
   * Reads a message.
   *
   * @param text the termination message, or null
   * @return what it says; nothing for null and blank texts
   */
  public static TerminationMessage of(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return NOTHING;
    }
    String stripped = text.strip();
    if (stripped.indexOf('\n') < 0) {
      return new TerminationMessage(limited(stripped), isLostPeer(stripped));
    }
    Matcher torchrun = TORCHRUN.matcher(stripped);
    String script = torchrun.find() ? stripped.substring(0, torchrun.start()) : "";
    String exception = lastException(script);
    if (exception != null) {
      return new TerminationMessage(limited(exception), isLostPeer(exception));
    }
    // What is left of the script's own words is too little for a sentence, but may tell the kind.
    String own = lastException(stripped);
    boolean torchrunsReport = own != null && own.contains("ChildFailedError");
    boolean lostPeer = isLostPeer(script) || (own != null && isLostPeer(own));
    if (own != null && !torchrunsReport) {
      return new TerminationMessage(limited(own), lostPeer);
    }
    return new TerminationMessage(
        torchrunsReport ? "a process of torchrun failed, its log says why" : lastLine(stripped),
        lostPeer);
  }

  private static boolean isLostPeer(String text) {
    return LOST_PEER.stream().anyMatch(text::contains);
  }

  private static @Nullable String lastException(String text) {
    String last = null;
    Matcher exceptions = EXCEPTION.matcher(text);
    while (exceptions.find()) {
      last = exceptions.group(1);
    }
    return last;
  }

  private static String lastLine(String text) {
    return limited(text.substring(text.lastIndexOf('\n') + 1).strip());
  }

  private static String limited(String line) {
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
