package dev.tensorstack.training.kubectl.nativeimage;

import io.fabric8.kubernetes.api.model.AnyType;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.AuthProviderConfig;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.ExecEnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.api.model.NamedExtension;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Preferences;
import io.fabric8.kubernetes.api.model.runtime.RawExtension;
import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * What Jackson reads by reflection: a kubeconfig with its extensions, which are anything, and what
 * an OpenID provider answers.
 */
@RegisterForReflection(
    targets = {
      AnyType.class,
      AuthInfo.class,
      AuthProviderConfig.class,
      Cluster.class,
      Config.class,
      Context.class,
      ExecConfig.class,
      ExecEnvVar.class,
      GenericKubernetesResource.class,
      NamedAuthInfo.class,
      NamedCluster.class,
      NamedContext.class,
      NamedExtension.class,
      ObjectMeta.class,
      Preferences.class,
      RawExtension.class
    },
    classNames = {
      "io.fabric8.kubernetes.client.utils.OpenIDConnectionUtils$OAuthToken",
      "io.fabric8.kubernetes.client.utils.OpenIDConnectionUtils$OpenIdConfiguration"
    })
final class NativeTypes {

  private NativeTypes() {}
}
