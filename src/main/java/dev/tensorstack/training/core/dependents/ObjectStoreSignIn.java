package dev.tensorstack.training.core.dependents;

import java.util.List;
import java.util.Map;

/**
 * How TensorBoard signs in to an S3 object store with a Secret that the operator never reads: each
 * key of the Secret is an environment variable, and a shell in the container translates what is
 * written as s3cmd writes it (keys {@code access_key}, {@code secret_key}, {@code host_base}, …, or
 * one key {@code .s3cfg} with the whole file) into the variables that TensorBoard's libraries read.
 */
final class ObjectStoreSignIn {

  private static final String VOLUME = "object-store";
  private static final String DIRECTORY = "/etc/object-store";

  /**
   * Variables that the Secret itself sets win. {@code S3_ENDPOINT} is for TensorBoard's own reader
   * and for tensorflow-io, {@code AWS_ENDPOINT_URL} for s3fs.
   */
  private static final String SCRIPT =
      """
      field() {
        eval "found=\\${$1:-}"
        if [ -z "$found" ] && [ -f %1$s/s3cfg ]; then
          found=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*//p" %1$s/s3cfg | tail -n 1)
        fi
        printf %%s "$found"
      }
      give() {
        eval "present=\\${$1:-}"
        if [ -z "$present" ] && [ -n "$2" ]; then
          export "$1=$2"
        fi
      }
      give AWS_ACCESS_KEY_ID "$(field access_key)"
      give AWS_SECRET_ACCESS_KEY "$(field secret_key)"
      host=$(field host_base)
      if [ -n "$host" ]; then
        case $(field use_https) in
          [Ff]alse | 0) give S3_USE_HTTPS 0; give S3_ENDPOINT "http://$host" ;;
          *) give S3_ENDPOINT "https://$host" ;;
        esac
      fi
      give AWS_ENDPOINT_URL "${S3_ENDPOINT:-}"
      exec tensorboard "$@"
      """
          .formatted(DIRECTORY);

  private ObjectStoreSignIn() {}

  /**
   * What starts TensorBoard; its arguments follow.
   *
   * @return the container's command
   */
  static List<String> command() {
    return List.of("/bin/sh", "-c", SCRIPT, "tensorboard");
  }

  /**
   * The variables out of the Secret. The pod waits for the Secret, and says so, while there is
   * none.
   *
   * @param secret its name
   * @return entries of {@code envFrom}
   */
  static List<Object> environment(String secret) {
    return List.of(Map.of("secretRef", Map.of("name", secret)));
  }

  /**
   * The volume with the Secret's {@code .s3cfg}, empty when it has none.
   *
   * @param secret its name
   * @return an entry of {@code volumes}
   */
  static Map<String, Object> volume(String secret) {
    return Map.of(
        "name",
        VOLUME,
        "secret",
        Map.of(
            "secretName",
            secret,
            "optional",
            true,
            "items",
            List.of(Map.of("key", ".s3cfg", "path", "s3cfg"))));
  }

  /**
   * Where the volume is mounted.
   *
   * @return an entry of {@code volumeMounts}
   */
  static Map<String, Object> mount() {
    return Map.of("name", VOLUME, "mountPath", DIRECTORY, "readOnly", true);
  }
}
