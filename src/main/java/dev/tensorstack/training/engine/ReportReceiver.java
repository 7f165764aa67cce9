package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.TrainingReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes what the trainings of one kind of jobs report. */
public interface ReportReceiver {

  /** What becomes of a report. */
  enum Answer {
    /** It will be in the status. */
    ACCEPTED,
    /** There is no such job, as far as this process knows. */
    NO_JOB,
    /** The pod is not one of the job's present pods. */
    NOT_ITS_POD,
    /** The job asks for no reports, or has ended. */
    NOT_WANTED
  }

  /**
   * What a report says.
   *
   * @param percent how much is done, 0 to 100; null when it does not say
   * @param remainingSeconds how many seconds are left; null when it does not say
   * @param metrics what else it says
   */
  record Content(
      @Nullable Integer percent,
      @Nullable Long remainingSeconds,
      List<TrainingReport.Metric> metrics) {}

  /**
   * Takes a report of a pod whose identity is proved.
   *
   * @param namespace the job's namespace
   * @param job the job's name
   * @param pod the pod's name
   * @param podUid the pod's uid
   * @param content what it says
   * @return what becomes of it
   */
  Answer receive(String namespace, String job, String pod, String podUid, Content content);

  /**
   * A pod whose identity is proved reports too often, and what it says is not read: what its job's
   * training has told meanwhile is not known.
   *
   * @param namespace the job's namespace
   * @param job the job's name; when the pod is none of it, nothing happens
   * @param pod the pod's name
   * @param podUid the pod's uid
   */
  void turnedAway(String namespace, String job, String pod, String podUid);
}
