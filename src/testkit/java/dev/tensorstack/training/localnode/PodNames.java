package dev.tensorstack.training.localnode;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stands in for the DNS of headless Services: replaces names of pods by their addresses. */
final class PodNames {
  private static final String LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
  private static final String BEFORE = "(?<![A-Za-z0-9_.-])";
  private static final String AFTER = "(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])";
  private static final Pattern FULL =
      Pattern.compile(
          BEFORE
              + "("
              + LABEL
              + ")\\.("
              + LABEL
              + ")\\.("
              + LABEL
              + ")\\.svc(?:\\.cluster\\.local\\.?)?"
              + AFTER);

  private final PodAddresses addresses;
  private final String namespace;
  private final String subdomain;
  private final Pattern shortName;

  /**
   * Names as one pod sees them.
   *
   * @param addresses the addresses of the cluster
   * @param namespace the pod's namespace
   * @param subdomain the pod's subdomain, empty for none
   */
  PodNames(PodAddresses addresses, String namespace, String subdomain) {
    this.addresses = addresses;
    this.namespace = namespace;
    this.subdomain = subdomain;
    this.shortName =
        Pattern.compile(
            BEFORE
                + "("
                + LABEL
                + ")\\."
                + Pattern.quote(subdomain)
                + "(?:\\."
                + Pattern.quote(namespace)
                + ")?"
                + AFTER);
  }

  /**
   * Replaces names in one text.
   *
   * @param text any text, such as an argument
   * @return the text with {@code <hostname>.<subdomain>.<namespace>.svc[.cluster.local]} of any
   *     namespace replaced by addresses, and likewise {@code <hostname>.<subdomain>[.<namespace>]}
   *     of the pod's own subdomain
   */
  String replace(String text) {
    String full =
        FULL.matcher(text).replaceAll(m -> addresses.addressOf(m.group(3), m.group(2), m.group(1)));
    if (subdomain.isEmpty()) {
      return full;
    }
    Matcher own = shortName.matcher(full);
    return own.replaceAll(m -> addresses.addressOf(namespace, subdomain, m.group(1)));
  }
}
