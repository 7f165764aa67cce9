package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.orDefault;
import static dev.tensorstack.training.crd.Example.job;

import dev.tensorstack.training.core.pod.TorchrunOptions;
import java.util.ArrayList;
import java.util.List;

/** The rules of {@code torchrunConfig} in the CRD. */
final class TorchrunCel {

  private static final String PROC_PER_NODE = "torchrun-proc-per-node";
  private static final String RESERVED = "torchrun-reserved-options";
  private static final String ETCD = "torchrun-etcd-endpoint";
  private static final String CONFIG = "spec.torchrunConfig";

  static final RuleInCrd PROCESSES =
      new RuleInCrd(
          PROC_PER_NODE,
          List.of(
              CelRule.of(PROC_PER_NODE, CONFIG + ".procPerNode")
                  .refuses("!string(self).trim().matches('^(auto|cpu|gpu|0*[1-9][0-9]{0,5})$')")
                  .example(job("torchrunConfig: {procPerNode: gpus}"))
                  .value("gpus", "string(self).trim()")),
          "");

  static final RuleInCrd RESERVED_OPTIONS =
      new RuleInCrd(
          RESERVED,
          List.of(
                  "nnodes",
                  "nproc-per-node",
                  "rdzv-backend",
                  "rdzv-id",
                  "max-restarts",
                  "node-rank",
                  "role",
                  "master-addr",
                  "master-port",
                  "standalone")
              .stream()
              .map(
                  option ->
                      CelRule.of(RESERVED, CONFIG + ".extraOptions[]")
                          .refuses("self.matches('" + spellings(option) + "')")
                          .example(job("torchrunConfig: {extraOptions: ['--" + option + "']}")))
              .toList(),
          "");

  private static final String BACKEND = orDefault("self.rdzvBackend", "'c10d'");
  private static final String IS_ETCD = "(" + BACKEND + " in ['etcd', 'etcd-v2'])";
  private static final String ENDPOINT =
      "(has(self.extraOptions) && self.extraOptions.exists(o, o.matches('"
          + spellings("rdzv-endpoint")
          + "')))";

  static final RuleInCrd ETCD_ENDPOINT =
      new RuleInCrd(
          ETCD,
          List.of(
              CelRule.of(ETCD, CONFIG)
                  .field("extraOptions")
                  .refusesNew(IS_ETCD + " && !" + ENDPOINT)
                  .example(job("torchrunConfig: {rdzvBackend: etcd-v2}"))
                  .value("etcd-v2", BACKEND),
              CelRule.of(ETCD, CONFIG)
                  .field("extraOptions")
                  .refusesNew("!" + IS_ETCD + " && " + ENDPOINT)
                  .example(
                      job(
                          "torchrunConfig: {rdzvBackend: static, extraOptions: [--rdzv_endpoint=h:1]}"))
                  .value("static", BACKEND)),
          "an option without its value is not noticed; the list is named, not the option in it");

  private TorchrunCel() {}

  /** All spellings of an option that torchrun understands, as a regular expression. */
  private static String spellings(String option) {
    int shortest = option.length();
    while (shortest > 1
        && option.equals(TorchrunOptions.nameOf("--" + option.substring(0, shortest - 1)))) {
      shortest--;
    }
    List<String> rest = new ArrayList<>();
    for (int i = shortest; i < option.length(); i++) {
      rest.add(letter(option.charAt(i)));
    }
    StringBuilder end = new StringBuilder();
    for (int i = rest.size() - 1; i >= 0; i--) {
      end.insert(0, "(" + rest.get(i)).append(")?");
    }
    StringBuilder begin = new StringBuilder("^--");
    for (int i = 0; i < shortest; i++) {
      begin.append(letter(option.charAt(i)));
    }
    return begin.append(end).append("(=|$)").toString();
  }

  private static String letter(char letter) {
    return letter == '-' ? "[-_]" : String.valueOf(letter);
  }
}
