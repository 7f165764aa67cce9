package dev.tensorstack.training.kind.pytorchjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.ClusterDefaults.CleanUp;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PyTorchJobDefaultsTest {

  private static PyTorchJobSpec spec(@Nullable String clean, @Nullable Integer ttl) {
    return new PyTorchJobSpec(
        null, null, null, new RunPolicy(clean, ttl, null, null, null, null, null));
  }

  @ParameterizedTest
  @CsvSource({"All, All", "Unfinished, Running", "None, None"})
  void aNewJobGetsThemInTheWordsOfItsKind(CleanUp setting, String word) {
    PyTorchJobSpec given = new PyTorchJobSpec(null, null, null, null);
    assertThat(PyTorchJobDefaults.applied(new ClusterDefaults(setting, 60, null), given, null))
        .isEqualTo(spec(word, 60));
  }

  @Test
  void whatTheUserSaysStays() {
    PyTorchJobSpec given = spec("None", 0);
    assertThat(PyTorchJobDefaults.applied(new ClusterDefaults(CleanUp.All, 60, null), given, null))
        .isSameAs(given);
  }

  @Test
  void aJobThatExistsGetsNoneButKeepsItsOwn() {
    ClusterDefaults defaults = new ClusterDefaults(CleanUp.All, 60, null);
    PyTorchJobSpec given = new PyTorchJobSpec(null, null, null, null);
    assertThat(PyTorchJobDefaults.applied(defaults, given, spec(null, null))).isSameAs(given);
    assertThat(PyTorchJobDefaults.applied(defaults, given, spec("All", 5)))
        .isEqualTo(spec("All", null));
  }

  @Test
  void withoutDefaultsASpecStaysTheSame() {
    PyTorchJobSpec given = new PyTorchJobSpec(null, null, null, null);
    assertThat(PyTorchJobDefaults.applied(ClusterDefaults.NONE, given, null)).isSameAs(given);
  }
}
