package dev.tensorstack.training.kind;

import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.fabric8.kubernetes.api.model.Quantity;
import org.jspecify.annotations.Nullable;

/** Writes parts of a job as JSON, with all quantities in them in a way of one's own. */
final class QuantityJson {

  private QuantityJson() {}

  /**
   * A mapper.
   *
   * @param quantities writes each quantity, wherever it stands
   */
  static ObjectMapper mapper(JsonSerializer<Quantity> quantities) {
    return new ObjectMapper().setAnnotationIntrospector(new Introspector(quantities));
  }

  /** The client's model names a serializer, which counts more than one of a module. */
  private static final class Introspector extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    private final transient JsonSerializer<Quantity> quantities;

    private Introspector(JsonSerializer<Quantity> quantities) {
      this.quantities = quantities;
    }

    @Override
    public @Nullable Object findSerializer(Annotated annotated) {
      return annotated.getRawType() == Quantity.class
          ? quantities
          : super.findSerializer(annotated);
    }
  }
}
