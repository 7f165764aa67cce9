package dev.tensorstack.training.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the native image's builder checks late: that Netty is as its substitutions expect. */
class NettyClientTlsTest {

  private static final String QUARKUS =
      "io.quarkus.netty.runtime.graal.Target_io_netty_handler_ssl_SslContext";

  @Test
  void everyWayToMakeATlsContextIsSubstituted() throws Exception {
    Set<String> substituted = new TreeSet<>(ways(Class.forName(QUARKUS)));
    List<String> own = ways(NettyClientTls.class);
    assertThat(substituted)
        .as("Quarkus substitutes it: take ours away")
        .doesNotContainAnyElementsOf(own);
    substituted.addAll(own);

    assertThat(substituted).containsExactlyInAnyOrderElementsOf(ways(SslContext.class));
  }

  @Test
  void theConstructorThatIsCalledExists() throws Exception {
    List<String> expected =
        Stream.of(NettyJdkClientTls.class.getDeclaredConstructors()[0].getParameterTypes())
            .map(
                type ->
                    type == NettyTlsResumption.class
                        ? "io.netty.handler.ssl.ResumptionController"
                        : type.getName())
            .toList();

    assertThat(Class.forName("io.netty.handler.ssl.JdkSslClientContext").getDeclaredConstructors())
        .anySatisfy(
            constructor ->
                assertThat(Stream.of(constructor.getParameterTypes()).map(Class::getName).toList())
                    .isEqualTo(expected));
    assertThat(
            Class.forName("io.netty.handler.ssl.ResumptionController")
                .getDeclaredConstructor()
                .getParameterCount())
        .isZero();
  }

  private static List<String> ways(Class<?> type) {
    return Stream.of(type.getDeclaredMethods())
        .filter(method -> method.getName().matches("new(Client|Server)ContextInternal"))
        .map(NettyClientTlsTest::signature)
        .toList();
  }

  private static String signature(Method method) {
    return method.getName()
        + Stream.of(method.getParameterTypes()).map(Class::getName).toList()
        + method.getReturnType().getName();
  }
}
