package dev.tensorstack.training.operator;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * A pod template in which each field of each type has a value, as far down as the types go: what a
 * native binary can read and write of a pod is seen from it. No API server takes such a pod.
 */
final class FilledTemplate {

  private static final int NUMBER = 7;

  private final ObjectMapper mapper = new ObjectMapper();
  private final Deque<Class<?>> path = new ArrayDeque<>();
  private final Set<Class<?>> types = new HashSet<>();

  /**
   * The template.
   *
   * @return an object with {@code metadata} and {@code spec}
   */
  JsonNode template() {
    return value(mapper.constructType(PodTemplateSpec.class), "template");
  }

  /**
   * The types that the last template consists of.
   *
   * @return classes of the model
   */
  Set<Class<?>> types() {
    return types;
  }

  private JsonNode value(JavaType type, String name) {
    Class<?> raw = type.getRawClass();
    if (type.isCollectionLikeType()) {
      ArrayNode list = mapper.createArrayNode();
      JsonNode element = value(type.getContentType(), name);
      return element.isNull() ? list : list.add(element);
    }
    if (type.isMapLikeType()) {
      JsonNode element = value(type.getContentType(), name);
      return mapper.createObjectNode().set(name + "Key", element);
    }
    if (raw == String.class) {
      return mapper.getNodeFactory().textNode(name);
    }
    if (raw == Boolean.class || raw == boolean.class) {
      return mapper.getNodeFactory().booleanNode(true);
    }
    if (Number.class.isAssignableFrom(raw) || raw.isPrimitive() || raw == IntOrString.class) {
      return mapper.getNodeFactory().numberNode(NUMBER);
    }
    if (raw == Quantity.class) {
      return mapper.getNodeFactory().textNode("1500m");
    }
    if (raw == Object.class) {
      return mapper.createObjectNode().put("any", name);
    }
    return bean(type);
  }

  private JsonNode bean(JavaType type) {
    if (path.contains(type.getRawClass())) {
      return mapper.nullNode();
    }
    path.push(type.getRawClass());
    types.add(type.getRawClass());
    ObjectNode object = mapper.createObjectNode();
    BeanDescription bean = mapper.getDeserializationConfig().introspect(type);
    for (BeanPropertyDefinition property : bean.findProperties()) {
      if (property.couldDeserialize() && property.getField() != null) {
        JsonNode value = value(property.getPrimaryType(), property.getName());
        if (!value.isNull()) {
          object.set(property.getName(), value);
        }
      }
    }
    path.pop();
    return object;
  }
}
