package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonParserSequence;
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
import com.fasterxml.jackson.databind.util.TokenBuffer;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.quarkus.arc.All;
import io.quarkus.kubernetes.client.KubernetesClientObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out what nobody here asks for when objects are read from the API server. The caches hold
 * every job and its pods; of a pod's spec only the node is of interest, wanted or given, and nobody
 * wants to know who has managed which field; most of a node are its images. The spec of a job is
 * read in full, within {@link dev.tensorstack.training.kind.ReadLimits}.
 */
@Singleton
public final class PrunedReading implements KubernetesClientObjectMapperCustomizer {

  /**
   * What {@link dev.tensorstack.training.core.observe.PodReader} and {@link
   * dev.tensorstack.training.engine.LostNodes} look at.
   */
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
          Set.of("name", "state", "restartCount", "lastState"),
          NodeSpec.class,
          Set.of("taints"),
          NodeStatus.class,
          Set.of("conditions", "allocatable"));

  private static final StreamReadConstraints AS_STORED =
      StreamReadConstraints.builder()
          .maxNestingDepth(Integer.MAX_VALUE)
          .maxNameLength(Integer.MAX_VALUE)
          .build();

  /** By kind and version, as the API server writes them: {@code Pod v1}. */
  private final Map<String, Class<? extends KubernetesResource>> watched = new HashMap<>();

  /**
   * A way of reading.
   *
   * @param jobs the kinds of jobs
   */
  public PrunedReading(@All List<JobKind<?>> jobs) {
    watched.put("Pod v1", Pod.class);
    watched.put("Node v1", Node.class);
    jobs.forEach(
        kind -> watched.put(kind.kind().kind() + " " + kind.kind().apiVersion(), kind.type()));
  }

  /**
   * Teaches it the mapper of the client.
   *
   * @param mapper the mapper with which the client reads and writes
   */
  @Override
  public void customize(ObjectMapper mapper) {
    // Managed fields name owners by uid, so that nearly every pod brings a new field name, and the
    // table of all names ever read would be copied to take it in.
    mapper.getFactory().disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES);
    // What the API server has stored has to be read, or one object ends the list and the watch of
    // all. Templates are nested as deep as somebody likes; managed fields name entries by what is
    // in them, and neither the name of a variable nor the uid of an owner has a longest length.
    mapper.getFactory().setStreamReadConstraints(AS_STORED);
    mapper.registerModule(new SimpleModule("pruned").setDeserializerModifier(new Pruning(watched)));
  }

  private static final class Pruning extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1;

    private final transient Map<String, Class<? extends KubernetesResource>> watched;

    private Pruning(Map<String, Class<? extends KubernetesResource>> watched) {
      this.watched = watched;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(
        DeserializationConfig config, BeanDescription type, BeanDeserializerBuilder builder) {
      if (watched.containsValue(type.getBeanClass())) {
        read(builder, "metadata", new MetadataOfWatched());
      }
      if (type.getBeanClass() == Pod.class) {
        read(builder, "metadata", new MetadataOfPod());
        read(builder, "spec", new NodeOfPod());
        read(builder, "status", new StatusOfPod());
      } else if (type.getBeanClass() == ObjectMeta.class) {
        read(builder, "managedFields", new ManagedFields());
      } else if (type.getBeanClass() == WatchEvent.class) {
        read(builder, "object", new WatchedObject(watched));
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

  /**
   * Reads the object that a watch brings. The client reads a tree first, to see what kind of object
   * it is, and makes the object of that; with jobs, pods and nodes, of which nearly all events are,
   * one reading is enough, because the API server says the kind at the beginning.
   */
  private static final class WatchedObject extends StdDeserializer<KubernetesResource> {
    private static final long serialVersionUID = 1;

    private final transient Map<String, Class<? extends KubernetesResource>> types;

    private WatchedObject(Map<String, Class<? extends KubernetesResource>> types) {
      super(KubernetesResource.class);
      this.types = types;
    }

    @Override
    public @Nullable KubernetesResource deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        return context.readValue(json, KubernetesResource.class);
      }
      TokenBuffer read = context.bufferForInputBuffering(json);
      read.writeStartObject();
      String kind = "";
      String apiVersion = "";
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        if (field.equals("kind")) {
          kind = json.nextTextValue();
        } else if (field.equals("apiVersion")) {
          apiVersion = json.nextTextValue();
        } else {
          break;
        }
        read.writeFieldName(field);
        read.copyCurrentStructure(json);
      }
      Class<? extends KubernetesResource> type = types.get(kind + " " + apiVersion);
      if (type != null) {
        // It has its kind and version from its constructor.
        return context.readValue(json, type);
      }
      JsonParser all = JsonParserSequence.createFlattened(true, read.asParser(json), json);
      all.nextToken();
      return context.readValue(all, KubernetesResource.class);
    }
  }

  /**
   * Reads metadata of a pod, a node or a job. Templates in a job have metadata as well: it is kept.
   */
  private static class MetadataOfWatched extends StdDeserializer<ObjectMeta> {
    private static final long serialVersionUID = 1;

    private MetadataOfWatched() {
      super(ObjectMeta.class);
    }

    @Override
    public ObjectMeta deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      context.setAttribute(ManagedFields.PASSED_OVER, true);
      try {
        return context.readValue(json, ObjectMeta.class);
      } finally {
        context.setAttribute(ManagedFields.PASSED_OVER, null);
      }
    }
  }

  private static final class MetadataOfPod extends MetadataOfWatched {
    private static final long serialVersionUID = 1;

    @Override
    public ObjectMeta deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      ObjectMeta metadata = super.deserialize(json, context);
      LeanPod.slim(metadata);
      return metadata;
    }
  }

  private static final class StatusOfPod extends StdDeserializer<PodStatus> {
    private static final long serialVersionUID = 1;

    private StatusOfPod() {
      super(PodStatus.class);
    }

    @Override
    public PodStatus deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      PodStatus status = context.readValue(json, PodStatus.class);
      LeanPod.slim(status);
      return status;
    }
  }

  /** Passes over managed fields: they are half of what a watch brings of a job. */
  private static final class ManagedFields extends StdDeserializer<List<ManagedFieldsEntry>> {
    private static final long serialVersionUID = 1;
    private static final Object PASSED_OVER = ManagedFields.class;

    private ManagedFields() {
      super(List.class);
    }

    @Override
    public List<ManagedFieldsEntry> deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      if (context.getAttribute(PASSED_OVER) != null) {
        json.skipChildren();
        return new ArrayList<>();
      }
      return context.readValue(
          json,
          context.getTypeFactory().constructCollectionType(List.class, ManagedFieldsEntry.class));
    }
  }

  /**
   * Reads a pod's spec: {@code nodeName}, {@code nodeSelector}, {@code restartPolicy} and {@code
   * activeDeadlineSeconds}, and nothing else. The client copies what it is to patch through this.
   */
  private static final class NodeOfPod extends StdDeserializer<PodSpec> {
    private static final long serialVersionUID = 1;

    private NodeOfPod() {
      super(PodSpec.class);
    }

    @Override
    public PodSpec deserialize(JsonParser json, DeserializationContext context) throws IOException {
      PodSpec spec = LeanPod.spec();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        if (field.equals("nodeName")) {
          spec.setNodeName(LeanPod.shared(json.getText()));
        } else if (field.equals("restartPolicy")) {
          spec.setRestartPolicy(LeanPod.shared(json.getText()));
        } else if (field.equals("activeDeadlineSeconds")
            && json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
          spec.setActiveDeadlineSeconds(json.getLongValue());
        } else if (field.equals("nodeSelector") && json.currentToken() == JsonToken.START_OBJECT) {
          spec.setNodeSelector(nodeSelector(json));
        } else {
          json.skipChildren();
        }
      }
      return spec;
    }

    private static Map<String, String> nodeSelector(JsonParser json) throws IOException {
      Map<String, String> selector = new HashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String label = json.currentName();
        json.nextToken();
        selector.put(LeanPod.shared(label), LeanPod.shared(json.getText()));
      }
      return selector;
    }
  }
}
