package dev.tensorstack.training.kubectl.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that this program was built as. */
public final class PluginVersion implements IVersionProvider {

  private static final String FILE = "/kubectl-pj.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = PluginVersion.class.getResourceAsStream(FILE)) {
      if (file != null) {
        properties.load(file);
      }
    }
    return new String[] {"kubectl-pj " + properties.getProperty("version", "unknown")};
  }
}
