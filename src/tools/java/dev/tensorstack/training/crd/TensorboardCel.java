package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Example.job;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code tensorboard} in the CRD. */
final class TensorboardCel {

  private static final String ID = "tensorboard";
  private static final String SPEC = "spec.tensorboardSpec";
  private static final String NAME = "[a-z0-9]([-a-z0-9.]*[a-z0-9])?";

  private static final String NO_PLACE =
      Stream.of("logDir.pvc", "logDir.s3.uri", "logDir.http.url", "trainingLogFilesets")
          .map("self."::concat)
          .map(list -> "!(" + given(list) + " && size(" + list + ") > 0)")
          .collect(Collectors.joining(" && "));

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, SPEC)
                  .field("logDir")
                  .refusesNew(NO_PLACE)
                  .example(job("tensorboardSpec: {image: i}")),
              CelRule.of(ID, SPEC + ".logDir.pvc[].name")
                  .refuses("self.trim() == ''")
                  .example(job("tensorboardSpec: {logDir: {pvc: [{name: ' '}]}}")),
              CelRule.of(ID, SPEC + ".logDir.pvc[].name")
                  .refuses("self.trim() != '' && !self.matches('^" + NAME + "$')")
                  .example(job("tensorboardSpec: {logDir: {pvc: [{name: My_Claim}]}}"))
                  .value("My_Claim", "self"),
              CelRule.of(ID, SPEC + ".logDir.pvc[].subPath[]")
                  .refuses(
                      "self == '..' || self.startsWith('../') || self.endsWith('/..') || self.contains('/../')")
                  .example(job("tensorboardSpec: {logDir: {pvc: [{name: c, subPath: [../x]}]}}"))
                  .value("../x", "self"),
              malformed(
                  ".logDir.s3.uri[]",
                  "^s3://[^/\\\\s]+(/.*)?$",
                  "logDir: {s3: {secretRef: {name: s}, uri: [wrong]}}"),
              malformed(
                  ".logDir.http.url[]",
                  "^https?://[^/\\\\s]+\\\\S*$",
                  "logDir: {http: {url: [wrong]}}"),
              malformed(
                  ".trainingLogFilesets[]",
                  "^t9k://(pvc/" + NAME + "(/.*)?|minio/" + NAME + "/[^/\\\\s]+(/.*)?)$",
                  "trainingLogFilesets: [wrong]"),
              CelRule.of(ID, SPEC + ".logDir.s3")
                  .field("secretRef")
                  .refusesNew("has(self.uri) && size(self.uri) > 0 && !has(self.secretRef)")
                  .example(job("tensorboardSpec: {logDir: {s3: {uri: ['s3://b/p']}}}")),
              CelRule.of(ID, SPEC + ".logDir.s3")
                  .field("secretRef.name")
                  .refusesNew(
                      "has(self.uri) && size(self.uri) > 0 && has(self.secretRef)"
                          + " && self.secretRef.name.trim() == ''")
                  .example(
                      job(
                          "tensorboardSpec: {logDir: {s3: {secretRef: {name: ''}, uri: ['s3://b/p']}}}"))),
          "the API server itself, in its own words, refuses a claim or a Secret without a name; several"
              + " Secrets, and a comma in one of several places, are left to the webhook");

  private TensorboardCel() {}

  private static CelRule malformed(String list, String form, String example) {
    return CelRule.of(ID, SPEC + list)
        .refuses("!self.matches('" + form + "')")
        .example(job("tensorboardSpec: {" + example + "}"))
        .value("wrong", "self");
  }
}
