package dev.tensorstack.training.kubectl.api;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Puts the token of a credential plugin into requests, and another one where it is refused. */
final class CredentialHeader implements Interceptor {

  private static final String HEADER = "Authorization";
  private static final int UNAUTHORIZED = 401;

  private final CredentialPlugin plugin;
  private volatile @Nullable Credential sent;

  /**
   * A header.
   *
   * @param plugin where tokens come from
   */
  CredentialHeader(CredentialPlugin plugin) {
    this.plugin = plugin;
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    put(builder, plugin.credential());
  }

  @Override
  public CompletableFuture<Boolean> afterFailure(
      BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
    if (response.code() != UNAUTHORIZED) {
      return CompletableFuture.completedFuture(false);
    }
    Credential refused = sent;
    // Not by the thread that reads from the network.
    return CompletableFuture.supplyAsync(() -> put(builder, plugin.renew(refused)));
  }

  private boolean put(BasicBuilder builder, Credential credential) {
    sent = credential;
    if (credential.token() == null) {
      return false;
    }
    BasicBuilder unused = builder.setHeader(HEADER, "Bearer " + credential.token());
    return true;
  }
}
