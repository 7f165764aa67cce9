package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PauseMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Old manifests switch a block on with {@code enable}; it is read, and stored as {@code enabled}.
 *
 * <p>Warns of: {@code enable} instead of {@code enabled} in torchrunConfig, elastic, runMode.debug
 * or runMode.pause.
 */
final class OldSpellingWarning implements Warning<PyTorchTrainingJobSpec> {

  /**
   * A block that can be switched on.
   *
   * @param path its path
   * @param enabled what it says; null when it does not say it, or when there is no such block
   * @param enable the same in the older spelling
   */
  private record Switch(String path, @Nullable Boolean enabled, @Nullable Boolean enable) {}

  @Override
  public String id() {
    return "old-spelling";
  }

  @Override
  public List<String> check(WarningContext<PyTorchTrainingJobSpec> job) {
    List<Switch> given = switches(job.given());
    List<Switch> stored = switches(job.subject().spec());
    boolean changed = job.subject().old() != null;
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      Switch one = given.get(i);
      Boolean enable = one.enable();
      if (enable != null) {
        String what = what(enable, one.enabled(), stored.get(i).enabled(), changed);
        texts.add(one.path() + ".enable: " + what);
      }
    }
    return texts;
  }

  /**
   * In a change both may be there although the user wrote only the older one: then {@code enabled}
   * is what was stored.
   */
  private static String what(
      Boolean enable, @Nullable Boolean enabled, @Nullable Boolean stored, boolean changed) {
    boolean counts =
        enabled == null || (enable.equals(stored) && (changed || !enabled.equals(stored)));
    return counts
        ? "old spelling, stored as enabled: write \"enabled: " + enable + "\""
        : "ignored, because enabled is given too and wins (" + enabled + "): take it out";
  }

  private static List<Switch> switches(PyTorchTrainingJobSpec spec) {
    TorchrunConfig torchrun = spec.torchrunConfig();
    Elastic elastic = spec.elastic();
    RunMode mode = spec.runMode();
    DebugMode debug = mode == null ? null : mode.debug();
    PauseMode pause = mode == null ? null : mode.pause();
    return List.of(
        torchrun == null
            ? new Switch("spec.torchrunConfig", null, null)
            : new Switch("spec.torchrunConfig", torchrun.enabled(), torchrun.enable()),
        elastic == null
            ? new Switch("spec.elastic", null, null)
            : new Switch("spec.elastic", elastic.enabled(), elastic.enable()),
        debug == null
            ? new Switch("spec.runMode.debug", null, null)
            : new Switch("spec.runMode.debug", debug.enabled(), debug.enable()),
        pause == null
            ? new Switch("spec.runMode.pause", null, null)
            : new Switch("spec.runMode.pause", pause.enabled(), pause.enable()));
  }
}
