package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.RunMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Old manifests switch a block on with {@code enable}; it is read, and stored as {@code enabled}.
 */
final class OldSpellingWarning implements Warning {

  @Override
  public String id() {
    return "old-spelling";
  }

  @Override
  public String says() {
    return "`enable` instead of `enabled` in torchrunConfig, elastic, runMode.debug or runMode.pause";
  }

  @Override
  public List<String> check(GivenJob job) {
    PyTorchTrainingJobSpec given = job.given();
    List<String> texts = new ArrayList<>();
    if (given.torchrunConfig() != null) {
      one(
          texts,
          "spec.torchrunConfig",
          given.torchrunConfig().enable(),
          given.torchrunConfig().enabled());
    }
    if (given.elastic() != null) {
      one(texts, "spec.elastic", given.elastic().enable(), given.elastic().enabled());
    }
    RunMode mode = given.runMode();
    if (mode != null && mode.debug() != null) {
      one(texts, "spec.runMode.debug", mode.debug().enable(), mode.debug().enabled());
    }
    if (mode != null && mode.pause() != null) {
      one(texts, "spec.runMode.pause", mode.pause().enable(), mode.pause().enabled());
    }
    return texts;
  }

  private static void one(
      List<String> texts, String block, @Nullable Boolean enable, @Nullable Boolean enabled) {
    if (enable == null) {
      return;
    }
    texts.add(
        block
            + ".enable: "
            + (enabled == null
                ? "old spelling, stored as enabled: write \"enabled: " + enable + "\""
                : "ignored, because enabled is given too and wins (" + enabled + "): take it out"));
  }
}
