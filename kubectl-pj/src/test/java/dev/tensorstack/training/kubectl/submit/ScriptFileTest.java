package dev.tensorstack.training.kubectl.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptFileTest {

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @CsvSource({
    "train.py, train-",
    "Train_GPT.v2.py, train-gpt-v2-",
    "2_train.py, train-",
    "123.py, job-",
    "a-very-long-name-that-goes-on-and-on-and-on-for-ever.py, a-very-long-name-that-goes-on-and-on-and-"
  })
  void aJobsNameIsMadeOfTheScripts(String script, String begin) {
    String name = new ScriptFile(script, "").jobName();
    assertThat(name).startsWith(begin).matches("[a-z]([-a-z0-9]*[a-z0-9])?").hasSizeLessThan(47);
  }

  @Test
  void aLargeScriptIsRefusedWithTheRemedy() throws IOException {
    Path script = folder.resolve("large.py");
    Files.write(script, new byte[901 * 1024]);
    assertThatThrownBy(() -> ScriptFile.read(script))
        .hasMessageContaining("has 901 KiB")
        .hasMessageContaining("--pvc");
    Files.writeString(script, "#".repeat(900 * 1024));
    assertThat(ScriptFile.read(script).size()).isEqualTo(900 * 1024);
  }

  @Test
  void whatIsNoScriptIsRefused() throws IOException {
    Path binary = folder.resolve("binary.py");
    Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> ScriptFile.read(binary)).hasMessageContaining("no text in UTF-8");
    assertThatThrownBy(() -> ScriptFile.read(folder.resolve("none.py")))
        .hasMessageContaining("there is no script");
    Path name = folder.resolve("my train.py");
    Files.writeString(name, "");
    assertThatThrownBy(() -> ScriptFile.read(name)).hasMessageContaining("rename the script");
  }
}
