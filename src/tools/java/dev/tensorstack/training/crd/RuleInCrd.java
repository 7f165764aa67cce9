package dev.tensorstack.training.crd;

import java.util.List;

/**
 * What the CRD says of one rule of admission.
 *
 * @param id the rule of admission
 * @param rules the rules of the CRD; empty when it says nothing of it
 * @param otherwise what it does not say, or says in the API server's own words; empty when the CRD
 *     says all of it with the same words
 */
public record RuleInCrd(String id, List<CelRule> rules, String otherwise) {

  /**
   * The same in a word.
   *
   * @return yes, partly or no
   */
  public String inShort() {
    return rules.isEmpty() ? "no" : otherwise.isEmpty() ? "yes" : "partly";
  }
}
