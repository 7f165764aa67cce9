package dev.tensorstack.training.kubectl.api;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Ranks;
import dev.tensorstack.training.kubectl.job.Tree;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One job and its pods, as they change. For one reader; the changes come from other threads. */
public final class JobWatch implements AutoCloseable {

  private final Job first;
  private final Feed jobs;
  private final @Nullable Feed pods;
  private final ReentrantLock lock;
  private final Condition happened;
  private boolean news = true;

  /**
   * Begins to watch.
   *
   * @param cluster the cluster
   * @param job the job
   * @param withPods whether its pods are watched, too
   * @throws ApiException when the user may not list or watch them
   */
  public JobWatch(Cluster cluster, Job job, boolean withPods) {
    this.first = job;
    this.lock = new ReentrantLock();
    this.happened = lock.newCondition();
    this.jobs =
        Feed.open(
            cluster,
            job.kind().path(job.namespace()),
            Map.of("fieldSelector", "metadata.name=" + job.name()),
            this::wake);
    this.pods =
        withPods
            ? Feed.open(
                cluster,
                Jobs.podPath(job.namespace()),
                Jobs.podParameters(job.kind(), job.name()),
                this::wake)
            : null;
  }

  /** Something else happened that the reader is to look at. */
  public void wake() {
    lock.lock();
    try {
      news = true;
      happened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The job now.
   *
   * @return the job; null when it is gone, also when another of its name has been created
   */
  public @Nullable Job job() {
    for (Tree object : jobs.objects()) {
      Job job = new Job(first.kind(), object);
      if (job.uid().equals(first.uid())) {
        return job;
      }
    }
    return null;
  }

  /**
   * The job's pods now.
   *
   * @return the pods by rank; empty when they are not watched
   */
  public List<RankedPod> pods() {
    Job job = job();
    return pods == null ? List.of() : Ranks.of(job == null ? first : job, pods.objects());
  }

  /**
   * Why nothing is heard at present.
   *
   * @return what went wrong last; null when all is up to date
   */
  public @Nullable ApiException trouble() {
    ApiException trouble = jobs.trouble();
    return trouble != null || pods == null ? trouble : pods.trouble();
  }

  /**
   * Waits until something has changed since the last call that returned true.
   *
   * @param limit how long to wait at most
   * @return whether something has changed
   * @throws InterruptedException when the thread is interrupted
   * @throws ApiException when the user may list what is watched, and may not watch it
   */
  public boolean await(Duration limit) throws InterruptedException {
    ApiException trouble = trouble();
    if (trouble != null && trouble.isForbidden()) {
      throw trouble;
    }
    long left = limit.toNanos();
    lock.lock();
    try {
      while (!news && left > 0) {
        left = happened.awaitNanos(left);
      }
      boolean changed = news;
      news = false;
      return changed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    jobs.close();
    if (pods != null) {
      pods.close();
    }
  }
}
