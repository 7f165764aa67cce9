package dev.tensorstack.training.kubectl.nativeimage;

import com.oracle.svm.core.annotate.Alias;
import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.CipherSuiteFilter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextOption;
import io.netty.handler.ssl.SslProvider;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.NullUnmarked;

/**
 * In the native binary, Netty's TLS clients are those of the JDK: the way to OpenSSL leads to
 * classes that are not there, and the builder would follow it. Quarkus substitutes this method's
 * older form; Netty has called this one, with {@code startTls}, since 4.1.136. Goes with a Quarkus
 * that knows it; the operator has the same class. The JVM never loads it.
 */
@NullUnmarked
@TargetClass(className = "io.netty.handler.ssl.SslContext")
final class NettyClientTls {

  private NettyClientTls() {}

  @Substitute
  @SafeVarargs
  static SslContext newClientContextInternal(
      SslProvider provider,
      Provider sslContextProvider,
      X509Certificate[] trustCert,
      TrustManagerFactory trustManagerFactory,
      X509Certificate[] keyCertChain,
      PrivateKey key,
      String keyPassword,
      KeyManagerFactory keyManagerFactory,
      Iterable<String> ciphers,
      CipherSuiteFilter cipherFilter,
      ApplicationProtocolConfig apn,
      String[] protocols,
      long sessionCacheSize,
      long sessionTimeout,
      boolean enableOcsp,
      boolean startTls,
      SecureRandom secureRandom,
      String keyStoreType,
      String endpointIdentificationAlgorithm,
      Map.Entry<SslContextOption<?>, Object>... options)
      throws SSLException {
    if (enableOcsp) {
      throw new IllegalArgumentException("the JDK's TLS has no OCSP");
    }
    return (SslContext)
        (Object)
            new NettyJdkClientTls(
                sslContextProvider,
                trustCert,
                trustManagerFactory,
                keyCertChain,
                key,
                keyPassword,
                keyManagerFactory,
                ciphers,
                cipherFilter,
                apn,
                protocols,
                sessionCacheSize,
                sessionTimeout,
                secureRandom,
                keyStoreType,
                endpointIdentificationAlgorithm,
                new NettyTlsResumption());
  }
}

/** Makes Netty's TLS client of the JDK. */
@NullUnmarked
@TargetClass(className = "io.netty.handler.ssl.JdkSslClientContext")
final class NettyJdkClientTls {

  @Alias
  @SuppressWarnings("unused")
  NettyJdkClientTls(
      Provider sslContextProvider,
      X509Certificate[] trustCertCollection,
      TrustManagerFactory trustManagerFactory,
      X509Certificate[] keyCertChain,
      PrivateKey key,
      String keyPassword,
      KeyManagerFactory keyManagerFactory,
      Iterable<String> ciphers,
      CipherSuiteFilter cipherFilter,
      ApplicationProtocolConfig apn,
      String[] protocols,
      long sessionCacheSize,
      long sessionTimeout,
      SecureRandom secureRandom,
      String keyStoreType,
      String endpointIdentificationAlgorithm,
      NettyTlsResumption resumption)
      throws SSLException {}
}

/** Stands for a class of Netty's that others cannot name. */
@TargetClass(className = "io.netty.handler.ssl.ResumptionController")
final class NettyTlsResumption {

  @Alias
  NettyTlsResumption() {}
}
