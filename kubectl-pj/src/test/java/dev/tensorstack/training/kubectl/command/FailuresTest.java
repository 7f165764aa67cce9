package dev.tensorstack.training.kubectl.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class FailuresTest {

  @Test
  void aMissingRightIsNamed() {
    assertThat(
            Failures.forbidden(
                "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in"
                    + " the namespace \"team-a\""))
        .isEqualTo(
            "ann may not list pods in namespace team-a. The missing right is verbs: [list],"
                + " resources: [pods], apiGroups: [\"\"] in a Role of that namespace. See what you may"
                + " do: kubectl auth can-i --list -n team-a");
  }

  @Test
  void aRightInAllNamespacesIsThatOfAClusterRole() {
    assertThat(
            Failures.forbidden(
                "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" at"
                    + " the cluster scope"))
        .contains("ann may not list pods. The missing right is")
        .contains("in a ClusterRole. Without it: one namespace at a time, with -n");
  }

  @Test
  void aPolicysRefusalIsToldInItsOwnWords() {
    assertThat(Failures.forbidden("denied by policy")).isEqualTo("denied by policy");
  }

  @Test
  void mistakesOfThePluginAreNotToldAsTheUsers() {
    assertThat(Failures.inWords(new IllegalStateException("x"))).isNull();
    assertThat(Failures.inWords(new IOException("no space left"))).isEqualTo("no space left");
  }
}
