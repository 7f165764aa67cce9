package dev.tensorstack.training.apiproxy;

import io.fabric8.kubernetes.client.Config;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A proxy on loopback between a client, most often the operator, and an API server: plain HTTP/1.1
 * on this side, TLS with the given user's token on the other. It records requests, and hooks decide
 * what becomes of them. Safe for use by several threads.
 */
public final class ApiProxy implements AutoCloseable {

  private final Config target;
  private final SSLContext tls;
  private final ServerSocket server;
  private final Path kubeconfig;
  private final Queue<ApiRequest> requests = new ConcurrentLinkedQueue<>();
  private final List<Function<ApiRequest, Verdict>> before = new CopyOnWriteArrayList<>();
  private final List<Function<ApiRequest, Verdict>> after = new CopyOnWriteArrayList<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean keepsBodies;

  private ApiProxy(Config target) throws IOException, GeneralSecurityException {
    this.target = target;
    this.tls = trusting(target.getCaCertData());
    this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    this.kubeconfig = Files.createTempFile("proxy-", ".kubeconfig");
    Files.writeString(
        kubeconfig,
        """
        apiVersion: v1
        kind: Config
        current-context: proxy
        clusters:
        - {name: proxy, cluster: {server: "%s"}}
        users:
        - {name: user, user: {token: of-the-proxy}}
        contexts:
        - {name: proxy, context: {cluster: proxy, user: user}}
        """
            .formatted(url()));
    inThread("proxy-accept", this::accept);
  }

  /**
   * Starts a proxy.
   *
   * @param target the API server and the user as whom all requests are made, by token
   * @return the running proxy
   */
  public static ApiProxy start(Config target) {
    try {
      return new ApiProxy(target);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext trusting(String authority)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    InputStream pem = new ByteArrayInputStream(Base64.getDecoder().decode(authority));
    for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
      store.setCertificateEntry("ca-" + store.size(), one);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /**
   * The address for clients.
   *
   * @return {@code http://127.0.0.1:<port>}
   */
  public String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  /**
   * A kubeconfig that leads here.
   *
   * @return a file, there until the proxy is closed
   */
  public Path kubeconfig() {
    return kubeconfig;
  }

  /**
   * Keeps the bodies of writes in the record; otherwise only hooks see them.
   *
   * @return this
   */
  public ApiProxy keepBodies() {
    keepsBodies = true;
    return this;
  }

  /**
   * All requests so far, in the order of their arrival.
   *
   * @return a copy
   */
  public List<ApiRequest> requests() {
    return List.copyOf(requests);
  }

  /**
   * The writes so far, in the order of their arrival.
   *
   * @return a copy
   */
  public List<ApiRequest> writes() {
    return requests(ApiRequest::isWrite);
  }

  /**
   * Some requests, in the order of their arrival.
   *
   * @param which those for which it is true
   * @return a copy
   */
  public List<ApiRequest> requests(Predicate<ApiRequest> which) {
    return requests.stream().filter(which).toList();
  }

  /**
   * Asks a hook about every request before it is sent on. Hooks run in the request's own thread and
   * may wait; the first that does not say {@link Verdict#pass()} decides.
   *
   * @param hook what to do with a request
   * @return removes the hook again
   */
  public Hook beforeForwarding(Function<ApiRequest, Verdict> hook) {
    before.add(hook);
    return () -> before.remove(hook);
  }

  /**
   * Asks a hook about every request when the API server has answered and the client knows nothing
   * of it yet; {@link ApiRequest#code()} is known.
   *
   * @param hook what to do with the answer
   * @return removes the hook again
   */
  public Hook beforeAnswering(Function<ApiRequest, Verdict> hook) {
    after.add(hook);
    return () -> after.remove(hook);
  }

  /** A hook in place. */
  public interface Hook extends AutoCloseable {
    /** Removes the hook. */
    @Override
    void close();
  }

  /**
   * A hook for the first requests of a kind.
   *
   * @param times how many
   * @param which the kind
   * @param verdict what to do with them
   * @return the hook
   */
  public static Function<ApiRequest, Verdict> first(
      int times, Predicate<ApiRequest> which, Verdict verdict) {
    AtomicInteger left = new AtomicInteger(times);
    return request -> which.test(request) && left.getAndDecrement() > 0 ? verdict : Verdict.pass();
  }

  /**
   * A hook that holds requests up.
   *
   * @param millis for how long
   * @param which which ones
   * @return the hook
   */
  public static Function<ApiRequest, Verdict> delay(long millis, Predicate<ApiRequest> which) {
    CountDownLatch never = new CountDownLatch(1);
    return request -> {
      if (which.test(request)) {
        await(never, millis);
      }
      return Verdict.pass();
    };
  }

  /**
   * Waits in a hook.
   *
   * @param latch what for
   * @param millis how long at most
   * @return false when the time was up
   */
  public static boolean await(CountDownLatch latch, long millis) {
    try {
      return latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  Verdict arrived(ApiRequest request) {
    requests.add(request);
    return ask(before, request);
  }

  Verdict answered(ApiRequest request) {
    Verdict verdict = ask(after, request);
    if (!keepsBodies || !request.isWrite()) {
      request.forgetBody();
    }
    return verdict;
  }

  private static Verdict ask(List<Function<ApiRequest, Verdict>> hooks, ApiRequest request) {
    for (Function<ApiRequest, Verdict> hook : hooks) {
      Verdict verdict = hook.apply(request);
      if (verdict.kind() != Verdict.Kind.PASS) {
        return verdict;
      }
    }
    return Verdict.pass();
  }

  String token() {
    String fixed = target.getOauthToken();
    return fixed != null ? fixed : target.getAutoOAuthToken();
  }

  Socket connect() throws IOException {
    URI api = URI.create(target.getMasterUrl());
    Socket socket = tls.getSocketFactory().createSocket(api.getHost(), api.getPort());
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // closed by the other side
    }
  }

  static void inThread(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        client.setTcpNoDelay(true);
        sockets.add(client);
        inThread("proxy-connection", new Connection(this, client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** Cuts all connections, watches too; new ones are accepted. */
  public void cutConnections() {
    List.copyOf(sockets).forEach(this::close);
  }

  /**
   * Cuts one connection, watches too; does nothing when there is none.
   *
   * @param random chooses which
   */
  public void cutOneConnection(Random random) {
    List<Socket> open = List.copyOf(sockets);
    if (!open.isEmpty()) {
      close(open.get(random.nextInt(open.size())));
    }
  }

  /** Closes all connections. */
  @Override
  public void close() {
    try {
      server.close();
      Files.deleteIfExists(kubeconfig);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cutConnections();
  }
}
