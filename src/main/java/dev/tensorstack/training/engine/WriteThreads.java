package dev.tensorstack.training.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that wait for the API server's answers. */
final class WriteThreads {

  private static final long IDLE_SECONDS = 60;

  private WriteThreads() {}

  /**
   * Threads that start when there is something to do, end when they are idle for a minute, and keep
   * no process from ending. What comes while all are at work waits in the order in which it came.
   *
   * @param most how many at once
   * @param name the name of each
   */
  static ThreadPoolExecutor upTo(int most, String name) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }
}
