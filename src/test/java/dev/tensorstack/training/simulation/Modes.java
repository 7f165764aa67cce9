package dev.tensorstack.training.simulation;

/** Pause, resume and debug: when they are asked for, and free of charge. */
final class Modes {

  private Modes() {}

  static void check(Look look) {
    if (look.before.ended() || look.after.ended()) {
      return;
    }
    if (look.before.pausing() || look.after.pausing()) {
      pause(look);
    } else {
      Invariants.require(!look.spec.pauseOn(), "a pause is made when it is asked for", look);
      debug(look);
    }
  }

  private static void pause(Look look) {
    if (!look.before.pausing()) {
      // What had failed before may be counted together with it.
      Invariants.require(look.spec.pauseOn(), "a pause is asked for", look);
      return;
    }
    Invariants.require(look.free() && look.attempts() == 0, "a pause costs nothing", look);
    if (look.after.pausing()) {
      Invariants.require(look.replaced.isEmpty(), "a pause replaces nothing", look);
      Invariants.require(
          look.spec.pauseOn() || !look.before.phase().equals("Paused"),
          "a job resumes when it is asked to",
          look);
      return;
    }
    Invariants.require(!look.spec.pauseOn(), "a job resumes when it is asked to", look);
    everyPodGivesWay(look, "at resume every replica is created again");
  }

  private static void debug(Look look) {
    boolean was = look.before.debugging();
    boolean is = look.after.debugging();
    if (look.before.mode() != null && was != is) {
      Invariants.require(is == look.spec.debugOn(), "debug is asked for", look);
      boolean had = look.fates.values().stream().anyMatch(fate -> fate.kind() == Fate.Kind.LIVE);
      Invariants.require(!had || look.attempts() == 1, "switching debug is an attempt", look);
      everyPodGivesWay(look, "switching debug replaces all pods");
      return;
    }
    Invariants.require(
        look.before.mode() == null || is == look.spec.debugOn(),
        "debug is switched when it is asked for",
        look);
    if (was && is) {
      Invariants.require(
          look.free() && look.attempts() == 0,
          "nothing that is done in debug mode costs anything",
          look);
      look.fates.forEach(
          (id, fate) -> {
            boolean over = fate.failed() || fate.kind() == Fate.Kind.DONE;
            boolean replaced = look.replaced.contains(id);
            Invariants.require(
                !replaced || (fate.kind() != Fate.Kind.LIVE && fate.kind() != Fate.Kind.NONE),
                look.onLostNode(id) ? LostGrace.NAME : "a debug pod is replaced when it has ended",
                id,
                look);
            Invariants.require(
                replaced || !over || !fate.certain() || !look.after.replicas().containsKey(id),
                "a debug pod that ends is created again",
                id,
                look);
          });
    }
  }

  private static void everyPodGivesWay(Look look, String invariant) {
    look.before
        .replicas()
        .forEach(
            (id, entry) ->
                Invariants.require(
                    entry.uid() == null
                        || look.replaced.contains(id)
                        || !look.after.replicas().containsKey(id),
                    invariant,
                    id,
                    look));
  }
}
