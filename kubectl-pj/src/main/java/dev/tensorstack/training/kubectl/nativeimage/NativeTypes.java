package dev.tensorstack.training.kubectl.nativeimage;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.AuthProviderConfig;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.ExecEnvVar;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.api.model.NamedExtension;
import io.fabric8.kubernetes.api.model.Preferences;
import io.quarkus.runtime.annotations.RegisterForReflection;

/** What Jackson reads by reflection: a kubeconfig, and what an OpenID provider answers. */
@RegisterForReflection(
    targets = {
      AuthInfo.class,
      AuthProviderConfig.class,
      Cluster.class,
      Config.class,
      Context.class,
      ExecConfig.class,
      ExecEnvVar.class,
      NamedAuthInfo.class,
      NamedCluster.class,
      NamedContext.class,
      NamedExtension.class,
      Preferences.class
    },
    classNames = {
      "io.fabric8.kubernetes.client.utils.OpenIDConnectionUtils$OAuthToken",
      "io.fabric8.kubernetes.client.utils.OpenIDConnectionUtils$OpenIdConfiguration"
    })
final class NativeTypes {

  private NativeTypes() {}
}
