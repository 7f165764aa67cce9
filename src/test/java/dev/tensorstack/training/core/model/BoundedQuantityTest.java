package dev.tensorstack.training.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedQuantityTest {

  @ParameterizedTest
  @CsvSource({
    "2, 2",
    "+3, 3",
    "-1, -1",
    "0.5, 0.5",
    ".5, 0.5",
    "1., 1",
    "1500m, 1.5",
    "7u, 0.000007",
    "7n, 0.000000007",
    "3k, 3000",
    "2M, 2000000",
    "1G, 1000000000",
    "1T, 1000000000000",
    "1P, 1000000000000000",
    "2E, 2000000000000000000",
    "1Ki, 1024",
    "1.5Mi, 1572864",
    "1Gi, 1073741824",
    "1Ti, 1099511627776",
    "1Pi, 1125899906842624",
    "1Ei, 1152921504606846976",
    "1e3, 1000",
    "1E3, 1000",
    "1e+3, 1000",
    "1e-3, 0.001",
    "1e003, 1000",
    "5e0, 5",
    "5e000, 5",
    "9e18, 9000000000000000000",
  })
  void whatTheApiServerReadsIsRead(String text, String amount) {
    assertThat(BoundedQuantity.amount(text)).isEqualByComparingTo(amount);
    assertThat(BoundedQuantity.amount(new Quantity(text))).isEqualByComparingTo(amount);
    assertThat(BoundedQuantity.isWellFormed(text)).isTrue();
    assertThat(BoundedQuantity.excess(text)).isNull();
  }

  /** As the client's own reading has it, where that is of use. */
  @ParameterizedTest
  @ValueSource(strings = {"2", "1500m", "1.5Gi", "16Gi", "1e3", "129e6", "2E", "7n", "0.1", "3k"})
  void itIsTheNumberOfTheClient(String text) {
    assertThat(BoundedQuantity.amount(text))
        .isEqualByComparingTo(new Quantity(text).getNumericalAmount());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "two", "16GB", "2 Gi", "1,5", "16gi", "m", "1e", "1e+", "--1", "NaN", "."
      })
  void whatIsNoQuantityHasNoAmountAndIsLeftToTheApiServer(String text) {
    assertThat(BoundedQuantity.amount(text)).isNull();
    assertThat(BoundedQuantity.isWellFormed(text)).isFalse();
    assertThat(BoundedQuantity.excess(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e19",
        "1e-19",
        "1e10000000",
        "1e300000000",
        "1e-300000000",
        "1E99999999999999999999",
        "0e2147483648"
      })
  void anExponentThatNoResourceHasIsNamedAndNotWorkedWith(String text) {
    assertTimeoutPreemptively(
        Duration.ofSeconds(1), () -> assertThat(BoundedQuantity.amount(text)).isNull());
    assertThat(BoundedQuantity.isWellFormed(text)).isTrue();
    assertThat(BoundedQuantity.excess(text)).isEqualTo("has an exponent outside -18 to 18");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "0", "x", "."})
  void aTextOfMillionsOfCharactersIsNamedAndNotWorkedWith(String one) {
    String text = "1e" + one.repeat(3_000_000) + "m";
    assertTimeoutPreemptively(
        Duration.ofSeconds(1),
        () -> {
          assertThat(BoundedQuantity.amount(text)).isNull();
          assertThat(BoundedQuantity.isWellFormed(text)).isFalse();
          assertThat(BoundedQuantity.excess(text))
              .isEqualTo("has 3000003 characters, more than 64");
        });
  }

  @Test
  void nothingIsNoAmount() {
    assertThat(BoundedQuantity.amount((Quantity) null)).isNull();
    assertThat(BoundedQuantity.amount(new Quantity())).isNull();
  }
}
