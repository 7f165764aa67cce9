package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;

/**
 * Leaves out what nobody here asks for when objects are read from the API server. The caches hold
 * every job and its pods; of a pod's spec only the node is of interest, and nobody wants to know
 * who has managed which field. The spec of a job is read in full.
 */
@Singleton
public final class PrunedReading implements KubernetesClientObjectMapperCustomizer {

  /** What {@link dev.tensorstack.training.observation.PodReader} looks at. */
  private static final Map<Class<?>, Set<String>> NEEDED =
      Map.of(
          PodStatus.class,
          Set.of(
              "phase",
              "reason",
              "message",
              "conditions",
              "initContainerStatuses",
              "containerStatuses"),
          ContainerStatus.class,
          Set.of("name", "state"));

  /**
   * Teaches it the mapper of the client.
   *
   * @param mapper the mapper with which the client reads and writes
   */
  @Override
  public void customize(ObjectMapper mapper) {
    mapper.registerModule(new SimpleModule("pruned").setDeserializerModifier(new Pruning()));
  }

  private static final class Pruning extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1;

    @Override
    public BeanDeserializerBuilder updateBuilder(
        DeserializationConfig config, BeanDescription type, BeanDeserializerBuilder builder) {
      if (type.getBeanClass() == Pod.class) {
        read(builder, "metadata", new MetadataOfWatched());
        read(builder, "spec", new NodeOfPod());
      } else if (type.getBeanClass() == PyTorchTrainingJob.class) {
        read(builder, "metadata", new MetadataOfWatched());
      } else if (NEEDED.containsKey(type.getBeanClass())) {
        Set<String> needed = NEEDED.get(type.getBeanClass());
        type.findProperties().stream()
            .map(property -> property.getName())
            .filter(name -> !needed.contains(name))
            .forEach(name -> leaveOut(builder, name));
      }
      return builder;
    }

    private static void read(
        BeanDeserializerBuilder builder, String property, JsonDeserializer<?> how) {
      SettableBeanProperty found = builder.findProperty(PropertyName.construct(property));
      builder.addOrReplaceProperty(found.withValueDeserializer(how), true);
    }

    private static void leaveOut(BeanDeserializerBuilder builder, String property) {
      builder.removeProperty(PropertyName.construct(property));
      builder.addIgnorable(property);
    }
  }

  /** Reads metadata, and forgets the managed fields. */
  private static final class MetadataOfWatched extends StdDeserializer<ObjectMeta> {
    private static final long serialVersionUID = 1;

    private MetadataOfWatched() {
      super(ObjectMeta.class);
    }

    @Override
    public ObjectMeta deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      ObjectMeta metadata = context.readValue(json, ObjectMeta.class);
      metadata.setManagedFields(new ArrayList<>());
      return metadata;
    }
  }

  /** Reads a pod's spec: {@code nodeName}, and nothing else. */
  private static final class NodeOfPod extends StdDeserializer<PodSpec> {
    private static final long serialVersionUID = 1;

    private NodeOfPod() {
      super(PodSpec.class);
    }

    @Override
    public PodSpec deserialize(JsonParser json, DeserializationContext context) throws IOException {
      PodSpec spec = new PodSpec();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        if (field.equals("nodeName")) {
          spec.setNodeName(json.getText());
        } else {
          json.skipChildren();
        }
      }
      return spec;
    }
  }
}
