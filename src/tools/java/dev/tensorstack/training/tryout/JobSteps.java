package dev.tensorstack.training.tryout;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * What the try-out does to a job while it runs, as its user or its fate would.
 *
 * @param <J> the kind of the job
 */
interface JobSteps<J extends HasMetadata> {

  /**
   * Takes the next step if its time has come. Called again and again until the job has ended.
   *
   * @param sight what is to be seen of the job now
   * @throws StepFailedException when a step has not led where it had to
   * @throws KubernetesClientException when the API server does not answer
   */
  void next(Sight<J> sight);
}
