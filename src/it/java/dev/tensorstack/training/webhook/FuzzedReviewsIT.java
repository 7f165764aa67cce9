package dev.tensorstack.training.webhook;

import com.sun.management.OperatingSystemMXBean;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;

/** Ten thousand hostile reviews. It needs no control plane, only time. */
@QuarkusTest
@Tag("random")
@TestProfile(FuzzedReviews.BesideAnApiServer.class)
class FuzzedReviewsIT extends FuzzedReviews {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  @Override
  int reviews() {
    return 10_000;
  }

  /** Processor time, of server and client: the tests beside this one take the processors too. */
  @Override
  long nanos() {
    return PROCESS.getProcessCpuTime();
  }
}
