package dev.tensorstack.training.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes threads that do not keep the process from ending: what they do is planned again after the
 * next start.
 *
 * @param name what dumps call each of them
 */
public record DaemonThreads(String name) implements ThreadFactory {

  private static final long IDLE_SECONDS = 60;

  /**
   * Threads that start when there is something to do and end when they are idle for a minute. What
   * comes while all are at work waits in the order in which it came.
   *
   * @param most how many at once
   * @param name the name of each
   * @return none yet
   */
  public static ThreadPoolExecutor upTo(int most, String name) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DaemonThreads(name));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
