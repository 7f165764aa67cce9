package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.tensorstack.training.kind.ReadInParts;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/**
 * A distributed PyTorch training job.
 *
 * <p>A spec or status that these types cannot read (a string where a number belongs, written while
 * the schema was another one) does not fail the whole object: {@link #unreadable()} says what is
 * wrong, and the part is null.
 */
@Group("batch.tensorstack.dev")
@Version("v1beta1")
@Kind("PyTorchTrainingJob")
@Singular("pytorchtrainingjob")
@Plural("pytorchtrainingjobs")
@ShortNames("pj")
@Categories("all")
@JsonIgnoreProperties(ignoreUnknown = true)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Running", jsonPath = ".status.columns.running")
@AdditionalPrinterColumn(
    name = "Restarts",
    jsonPath = ".status.columns.restarts",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Progress", jsonPath = ".status.columns.progress")
@AdditionalPrinterColumn(name = "ETA", jsonPath = ".status.columns.eta")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Nodes", jsonPath = ".status.columns.nodes", priority = 1)
@AdditionalPrinterColumn(name = "Queue", jsonPath = ".status.columns.queue", priority = 1)
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.columns.reason", priority = 1)
public class PyTorchTrainingJob
    extends CustomResource<PyTorchTrainingJobSpec, PyTorchTrainingJobStatus>
    implements Namespaced, ReadInParts {

  private static final long serialVersionUID = 1L;

  @JsonIgnore private @Nullable String unreadable;

  /**
   * What of this object could not be read.
   *
   * @return the field and the problem, or null when the object was read whole
   */
  @JsonIgnore
  public @Nullable String unreadable() {
    return unreadable;
  }

  /**
   * Sets the spec.
   *
   * @param spec the spec; one that could not be read is remembered and null is set
   */
  @Override
  @JsonDeserialize(using = PartReader.OfSpec.class)
  public void setSpec(PyTorchTrainingJobSpec spec) {
    super.setSpec(spec);
  }

  /**
   * Sets the status.
   *
   * @param status the status; one that could not be read is remembered and null is set
   */
  @Override
  @JsonDeserialize(using = PartReader.OfStatus.class)
  public void setStatus(PyTorchTrainingJobStatus status) {
    super.setStatus(status);
  }

  /**
   * A copy that can be given other metadata, another spec or another status.
   *
   * @return a new object with metadata of its own; spec and status are the same, and nobody changes
   *     what is in them
   */
  public PyTorchTrainingJob copy() {
    PyTorchTrainingJob copy = new PyTorchTrainingJob();
    copy.setMetadata(getMetadata() == null ? null : getMetadata().toBuilder().build());
    copy.setSpec(getSpec());
    copy.setStatus(getStatus());
    copy.unreadable = unreadable;
    return copy;
  }

  @Override
  public void markUnreadable(String part, String problem) {
    String message = part + ": " + problem;
    unreadable = unreadable == null ? message : unreadable + "; " + message;
  }
}
