package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A native binary knows every type of the API. */
class NativeTypesTest {

  private static final Set<String> APIS =
      Set.of(PyTorchTrainingJob.class.getPackageName(), PyTorchJob.class.getPackageName());

  private final Set<String> registered = new TreeSet<>();

  NativeTypesTest() {
    for (Class<?> list : List.of(NativeTypes.class, PyTorchJobNativeTypes.class)) {
      RegisterForReflection annotation =
          Objects.requireNonNull(list.getAnnotation(RegisterForReflection.class));
      Stream.of(annotation.targets()).map(Class::getName).forEach(registered::add);
      registered.addAll(Set.of(annotation.classNames()));
    }
  }

  @Test
  void theTypesThatAJobConsistsOfAreRegisteredAndNoOthers() {
    Set<String> found = new TreeSet<>();
    collect(PyTorchTrainingJob.class, found);
    collect(PyTorchJob.class, found);
    assertThat(found).contains(TaskStatus.class.getName(), ElasticPolicy.class.getName());
    assertThat(registered).isEqualTo(found);
  }

  /** Fields, what getters return and setters take, supertypes, and what annotations name. */
  private static void collect(Type type, Set<String> found) {
    if (type instanceof ParameterizedType generic) {
      collect(generic.getRawType(), found);
      for (Type argument : generic.getActualTypeArguments()) {
        collect(argument, found);
      }
      return;
    }
    if (!(type instanceof Class<?> one)) {
      return;
    }
    if (one.isArray()) {
      collect(one.getComponentType(), found);
      return;
    }
    boolean ours =
        APIS.contains(one.getPackageName())
            || one.getName().startsWith(StoredLedger.class.getName())
            || one.getName().startsWith(StoredTraining.class.getName());
    if (ours && found.add(one.getName())) {
      collect(one.getGenericSuperclass(), found);
      for (Field field : one.getDeclaredFields()) {
        collect(field.getGenericType(), found);
      }
      for (Method method : one.getDeclaredMethods()) {
        collectOf(method, found);
      }
    }
  }

  private static void collectOf(Method method, Set<String> found) {
    collect(method.getGenericReturnType(), found);
    for (Type parameter : method.getGenericParameterTypes()) {
      collect(parameter, found);
    }
    JsonDeserialize reads = method.getAnnotation(JsonDeserialize.class);
    if (reads != null) {
      found.add(reads.using().getName());
    }
    JsonSerialize writes = method.getAnnotation(JsonSerialize.class);
    if (writes != null) {
      found.add(writes.using().getName());
    }
  }
}
