package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Example.job;

import dev.tensorstack.training.kind.ProgressCheck;
import java.util.List;

/** {@code progress} in the CRD. */
final class ProgressCel {

  private static final String ID = "progress";
  private static final String PATH = "spec.runPolicy.progress";

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, PATH + ".startSeconds")
                  .refuses("self <= 0")
                  .example(job("runPolicy: {progress: {startSeconds: 0}}")),
              CelRule.of(ID, PATH + ".stallSeconds")
                  .refuses("self <= 0")
                  .example(job("runPolicy: {progress: {stallSeconds: 0}}")),
              CelRule.of(ID, PATH + ".failOnNaN")
                  .refuses("self < 1")
                  .example(job("runPolicy: {progress: {failOnNaN: 0}}")),
              CelRule.of(ID, PATH + ".logPattern")
                  .refuses("size(self) > " + ProgressCheck.LONGEST_PATTERN)
                  .example(
                      job(
                          "runPolicy: {progress: {logPattern: \"(?P<step>"
                              + "x".repeat(ProgressCheck.LONGEST_PATTERN)
                              + ")\"}}")),
              CelRule.of(ID, PATH)
                  .field("stallSeconds")
                  .refuses(
                      "has(self.onFailure) && self.onFailure == \"Restart\""
                          + " && !has(self.startSeconds) && !has(self.stallSeconds)"
                          + " && !has(self.failOnNaN)")
                  .example(job("runPolicy: {progress: {onFailure: Restart}}"))),
          "the API server itself, in its own words, refuses an unknown word; what is wrong with a"
              + " regular expression only the webhooks and the operator say");

  private ProgressCel() {}
}
