package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Lists and watches one kind of objects, in a thread of its own, until it is closed. */
final class WatchLoop implements AutoCloseable {

  private static final long PAUSE_MILLIS = 50;
  private static final int QUIET_LIMIT_MILLIS = 600_000;

  private final Api api;
  private final String path;
  private final Handler handler;
  private final ObjectMapper mapper = new ObjectMapper();
  private final CountDownLatch listed = new CountDownLatch(1);
  private final AtomicInteger cuts = new AtomicInteger();
  private final Thread thread;
  private volatile @Nullable ApiConnection stream;
  private volatile boolean closed;

  /** Is told what is seen, by one thread. */
  interface Handler {
    /** An object as it is now, or as it was last. */
    void seen(JsonNode object, boolean deleted);

    /** After a list: no other objects exist. */
    void onlyThese(Set<String> uids);
  }

  private WatchLoop(Api api, String path, Handler handler) {
    this.api = api;
    this.path = path;
    this.handler = handler;
    this.thread = new Thread(this::run, "watch " + path);
    thread.setDaemon(true);
  }

  /** Starts to watch and waits for the first list. */
  static WatchLoop start(Api api, String path, Handler handler) throws InterruptedException {
    WatchLoop loop = new WatchLoop(api, path, handler);
    loop.thread.start();
    loop.listed.await();
    return loop;
  }

  /** The thread that reads the watch. */
  Thread thread() {
    return thread;
  }

  /** How often the API server has cut the watch off. */
  int cuts() {
    return cuts.get();
  }

  private void run() {
    String version = "";
    while (!closed) {
      try {
        if (version.isEmpty()) {
          version = list();
          listed.countDown();
        }
        version = watch(version);
      } catch (IOException | UncheckedIOException | IllegalStateException problem) {
        version = "";
      }
      if (!closed) {
        cuts.incrementAndGet();
        try {
          TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  private String list() throws IOException {
    JsonNode list =
        mapper.readTree(api.get(path + "?resourceVersion=0").orThrow("list " + path).body());
    Set<String> uids = new HashSet<>();
    for (JsonNode object : list.path("items")) {
      uids.add(object.path("metadata").path("uid").asText());
      handler.seen(object, false);
    }
    handler.onlyThese(uids);
    return list.path("metadata").path("resourceVersion").asText();
  }

  /** Watches until the end of the stream; says from which version to go on, empty: list again. */
  private String watch(String from) throws IOException {
    String version = from;
    try (ApiConnection connection =
        api.stream(path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + from)) {
      stream = connection;
      connection.limit(QUIET_LIMIT_MILLIS);
      if (connection.receiveHead() != HttpURLConnection.HTTP_OK) {
        return "";
      }
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(connection.chunks(), UTF_8), 1 << 16);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode event = mapper.readTree(line);
        String type = event.path("type").asText();
        JsonNode object = event.path("object");
        if (type.equals("ERROR")) {
          return "";
        }
        version = object.path("metadata").path("resourceVersion").asText(version);
        if (!type.equals("BOOKMARK")) {
          handler.seen(object, type.equals("DELETED"));
        }
      }
    }
    return version;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    ApiConnection open = stream;
    if (open != null) {
      open.close();
    }
  }
}
