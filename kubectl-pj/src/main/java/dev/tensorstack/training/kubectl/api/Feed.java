package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.kubectl.job.Tree;
import dev.tensorstack.training.kubectl.terminal.Ending;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a selector, kept up to date by a watch. When the watch breaks, they are listed
 * again and watched anew, for as long as it takes.
 */
public final class Feed implements AutoCloseable {

  private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(15);

  /** After this the API server ends the watch: one that died silently is noticed then. */
  private static final String WATCH_SECONDS = "240";

  private final Cluster cluster;
  private final String path;
  private final Map<String, String> parameters;
  private final Runnable changed;
  private final Map<String, Tree> objects = new TreeMap<>();
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable ApiStream watch;
  private volatile @Nullable ApiException trouble;
  private volatile boolean gone;
  private volatile String next = "";

  private Feed(Cluster cluster, String path, Map<String, String> parameters, Runnable changed) {
    this.cluster = cluster;
    this.path = path;
    this.parameters = Map.copyOf(parameters);
    this.changed = changed;
    this.thread = new Thread(this::run, "feed " + path);
    this.thread.setDaemon(true);
  }

  /**
   * Lists objects, and goes on to watch them.
   *
   * @param cluster the cluster
   * @param path the path of the collection
   * @param parameters {@code labelSelector}, {@code fieldSelector} and the like
   * @param changed is called after each change, by another thread; it may not wait
   * @return the feed, filled, to be closed
   * @throws ApiException when the objects may not be listed
   */
  public static Feed open(
      Cluster cluster, String path, Map<String, String> parameters, Runnable changed) {
    Feed feed = new Feed(cluster, path, parameters, changed);
    feed.next = feed.list();
    feed.thread.start();
    return feed;
  }

  /**
   * The objects now.
   *
   * @return by name
   */
  public List<Tree> objects() {
    synchronized (objects) {
      return List.copyOf(objects.values());
    }
  }

  /**
   * Why nothing is heard at present.
   *
   * @return what went wrong last; null when the objects are up to date
   */
  public @Nullable ApiException trouble() {
    return trouble;
  }

  private String list() {
    Cluster.Listing listing = cluster.list(path, parameters);
    synchronized (objects) {
      objects.clear();
      listing.items().forEach(this::put);
    }
    return listing.resourceVersion();
  }

  private void put(Tree object) {
    Tree unused = objects.put(name(object), object);
  }

  private static String name(Tree object) {
    return object.text("metadata", "namespace") + "/" + object.text("metadata", "name");
  }

  private void run() {
    Duration delay = FIRST_DELAY;
    while (!closed) {
      try {
        gone = false;
        follow();
        trouble = null;
        delay = FIRST_DELAY;
        if (gone) {
          next = list();
          changed.run();
        }
      } catch (ApiException e) {
        trouble = e;
        changed.run();
        // A right does not come by itself.
        if (e.isForbidden() || !pause(delay)) {
          return;
        }
        delay = shorter(delay.multipliedBy(2), LONGEST_DELAY);
        relist();
      } catch (InterruptedException e) {
        return;
      } catch (IllegalStateException e) {
        if (closed || Ending.hasBegun()) {
          // The client was closed first.
          return;
        }
        throw e;
      }
    }
  }

  private void relist() {
    try {
      next = list();
      trouble = null;
      changed.run();
    } catch (ApiException e) {
      trouble = e;
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean pause(Duration delay) {
    try {
      Thread.sleep(delay.toMillis());
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private void follow() throws InterruptedException {
    Map<String, String> query = new LinkedHashMap<>(parameters);
    query.put("watch", "1");
    query.put("resourceVersion", next);
    query.put("allowWatchBookmarks", "true");
    query.put("timeoutSeconds", WATCH_SECONDS);
    Lines lines = new Lines(line -> apply(cluster.parse(new String(line, UTF_8))));
    ApiStream stream = cluster.stream(path + Cluster.query(query), lines);
    watch = stream;
    try {
      stream.done().get();
    } catch (ExecutionException e) {
      if (!closed) {
        throw e.getCause() instanceof ApiException refused
            ? refused
            : ApiException.unreachable(cluster.url(), e);
      }
    } finally {
      stream.close();
    }
  }

  private void apply(Tree event) {
    String type = Objects.requireNonNullElse(event.text("type"), "");
    Tree object = event.at("object");
    if (type.equals("ERROR")) {
      // The version is too old to go on from: everything is listed again.
      gone = true;
      return;
    }
    next = Objects.requireNonNullElse(object.text("metadata", "resourceVersion"), next);
    if (type.equals("BOOKMARK")) {
      return;
    }
    synchronized (objects) {
      if (type.equals("DELETED")) {
        Tree unused = objects.remove(name(object));
      } else {
        put(object);
      }
    }
    changed.run();
  }

  @Override
  public void close() {
    closed = true;
    ApiStream open = watch;
    if (open != null) {
      open.close();
    }
    thread.interrupt();
  }
}
