package dev.tensorstack.training.tls.certificate;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The host names and addresses that a certificate is for: its subject alternative names.
 *
 * @param dns host names
 * @param addresses IP addresses as text, IPv6 without brackets
 */
public record SubjectNames(Set<String> dns, Set<String> addresses) {

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  /** Sorts both. */
  public SubjectNames {
    dns = Collections.unmodifiableSet(new TreeSet<>(dns));
    addresses = Collections.unmodifiableSet(new TreeSet<>(addresses));
  }

  /**
   * The names under which the API server may call a Service.
   *
   * @param service the Service's name
   * @param namespace its namespace
   * @return {@code <service>.<namespace>.svc} and its shorter and longer forms
   */
  public static SubjectNames ofService(String service, String namespace) {
    String name = service + "." + namespace;
    return new SubjectNames(
        Set.of(service, name, name + ".svc", name + ".svc.cluster.local"), Set.of());
  }

  /**
   * The host of a URL.
   *
   * @param url with a host
   * @return its host name, or its address
   */
  public static SubjectNames ofUrl(URI url) {
    String host = Objects.requireNonNull(url.getHost(), () -> "no host in " + url);
    if (host.startsWith("[")) {
      return new SubjectNames(Set.of(), Set.of(canonical(host.substring(1, host.length() - 1))));
    }
    return IPV4.matcher(host).matches()
        ? new SubjectNames(Set.of(), Set.of(host))
        : new SubjectNames(Set.of(host.toLowerCase(Locale.ROOT)), Set.of());
  }

  /**
   * This machine, for its own clients.
   *
   * @return {@code localhost} and its addresses
   */
  public static SubjectNames ofThisMachine() {
    return new SubjectNames(Set.of("localhost"), Set.of("127.0.0.1", canonical("::1")));
  }

  /**
   * What a certificate says.
   *
   * @param certificate a server's certificate
   * @return its names; none when they cannot be read
   */
  public static SubjectNames of(X509Certificate certificate) {
    Set<String> dns = new TreeSet<>();
    Set<String> addresses = new TreeSet<>();
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      for (List<?> name : names == null ? List.<List<?>>of() : names) {
        if (name.get(1) instanceof String text) {
          if (name.get(0).equals(DNS_NAME)) {
            dns.add(text);
          } else if (name.get(0).equals(IP_ADDRESS)) {
            addresses.add(text);
          }
        }
      }
    } catch (CertificateParsingException unreadable) {
      return new SubjectNames(Set.of(), Set.of());
    }
    return new SubjectNames(dns, addresses);
  }

  /** IPv6 addresses in the form in which certificates give them back. */
  private static String canonical(String address) {
    try {
      return InetAddress.getByName(address).getHostAddress();
    } catch (UnknownHostException noAddress) {
      throw new IllegalArgumentException(address + " is no IP address", noAddress);
    }
  }

  /**
   * These names and another's.
   *
   * @param other further names
   * @return both
   */
  public SubjectNames plus(SubjectNames other) {
    Set<String> allDns = new TreeSet<>(dns);
    allDns.addAll(other.dns);
    Set<String> allAddresses = new TreeSet<>(addresses);
    allAddresses.addAll(other.addresses);
    return new SubjectNames(allDns, allAddresses);
  }

  /**
   * Whether all names of another are among these.
   *
   * @param other other names
   * @return true when none is missing
   */
  public boolean containsAll(SubjectNames other) {
    return dns.containsAll(other.dns) && addresses.containsAll(other.addresses);
  }
}
