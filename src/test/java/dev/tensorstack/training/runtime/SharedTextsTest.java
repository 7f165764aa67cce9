package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SharedTextsTest {

  private final SharedTexts texts = new SharedTexts();

  private static String copy(String text) {
    return new StringBuilder(text).toString();
  }

  @Test
  void equalTextsAreOne() {
    String first = copy("worker");
    assertThat(texts.of(first)).isSameAs(first);
    assertThat(texts.of(copy("worker"))).isSameAs(first);
    assertThat(texts.of(null)).isNull();
  }

  @Test
  void aTextThatNobodyHasAnyMoreIsForgottenOnceOthersCame() {
    WeakReference<String> first = new WeakReference<>(texts.of(copy("of a job of long ago")));
    IntStream.range(0, 1_000_000).forEach(i -> assertThat(texts.of("text-" + i)).isNotNull());
    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return first.get() == null;
            });
  }
}
