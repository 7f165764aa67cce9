package dev.tensorstack.training.https;

import org.jspecify.annotations.Nullable;

/** The token in the header {@code Authorization: Bearer TOKEN}. */
public final class BearerToken {

  private static final String SCHEME = "Bearer ";

  private BearerToken() {}

  /**
   * Reads the header.
   *
   * @param authorization the header's value; null when there is none
   * @return the token; null when the header is of another scheme
   */
  public static @Nullable String of(@Nullable String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? authorization.substring(SCHEME.length()).strip()
        : null;
  }
}
