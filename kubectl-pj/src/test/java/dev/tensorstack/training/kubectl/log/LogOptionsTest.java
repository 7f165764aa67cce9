package dev.tensorstack.training.kubectl.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogOptionsTest {

  @Test
  void onlyWhatIsAskedForIsInTheRequest() {
    assertThat(new LogOptions(null, null, null).path("ns", "p", "python", false, false))
        .isEqualTo("/api/v1/namespaces/ns/pods/p/log?container=python");
    assertThat(new LogOptions(null, 5, Duration.ofMinutes(1)).path("ns", "p", "python", true, true))
        .isEqualTo(
            "/api/v1/namespaces/ns/pods/p/log?container=python&follow=true&previous=true"
                + "&tailLines=5&sinceSeconds=60");
  }
}
