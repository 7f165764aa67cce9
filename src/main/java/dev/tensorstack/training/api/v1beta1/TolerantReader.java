package dev.tensorstack.training.api.v1beta1;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.stream.Collectors;

/**
 * Reads one part of a job; a part that does not fit its type becomes null and is reported on the
 * job that it belongs to. One unreadable object must not stop the watch that brings all the others.
 *
 * @param <T> the type of the part
 */
abstract class TolerantReader<T> extends JsonDeserializer<T> {

  private final Class<T> type;
  private final String part;

  private TolerantReader(Class<T> type, String part) {
    this.type = type;
    this.part = part;
  }

  @Override
  public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    JsonNode tree = parser.readValueAsTree();
    try {
      return parser.getCodec().treeToValue(tree, type);
    } catch (JacksonException problem) {
      if (parser.currentValue() instanceof PyTorchTrainingJob job) {
        job.markUnreadable(part + path(problem), problem.getOriginalMessage());
        return null;
      }
      throw problem;
    }
  }

  private static String path(JacksonException problem) {
    if (!(problem instanceof JsonMappingException mapping)) {
      return "";
    }
    return mapping.getPath().stream()
        .map(
            reference ->
                reference.getFieldName() == null
                    ? "[" + reference.getIndex() + "]"
                    : "." + reference.getFieldName())
        .collect(Collectors.joining());
  }

  /** Reads {@code spec}. */
  static final class OfSpec extends TolerantReader<PyTorchTrainingJobSpec> {
    OfSpec() {
      super(PyTorchTrainingJobSpec.class, "spec");
    }
  }

  /** Reads {@code status}. */
  static final class OfStatus extends TolerantReader<PyTorchTrainingJobStatus> {
    OfStatus() {
      super(PyTorchTrainingJobStatus.class, "status");
    }
  }
}
