import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/** Runs one node on loopback until its standard input ends: OneNode HOME HTTP_PORT TRANSPORT_PORT. */
public final class OneNode {
  private static final String NAME = "peer";

  /** The constructor of a node with plugins of the class path is protected. */
  private static final class OpenNode extends Node {
    OpenNode(Environment environment, List<PluginInfo> plugins) {
      super(environment, plugins, false);
    }
  }

  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]).toAbsolutePath();
    Path config = Files.createDirectories(home.resolve("config"));
    Path data = Files.createDirectories(home.resolve("data"));
    Settings settings =
        Settings.builder()
            .put("path.home", home.toString())
            .put("path.data", data.toString())
            .put("cluster.name", NAME)
            .put("node.name", NAME)
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", args[1])
            .put("transport.port", args[2])
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("action.auto_create_index", false)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
    List<PluginInfo> plugins =
        Stream.of(Netty4ModulePlugin.class, CommonAnalysisModulePlugin.class)
            .map(OneNode::pluginOf)
            .toList();
    Environment environment =
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> NAME);
    LogConfigurator.setNodeName(NAME);
    try (Node node = new OpenNode(environment, plugins)) {
      node.start();
      System.out.println("started");
      while (System.in.read() >= 0) {}
    }
    System.exit(0);
  }

  private static PluginInfo pluginOf(Class<? extends Plugin> plugin) {
    String name = plugin.getName();
    return new PluginInfo(name, name, "NA", Version.CURRENT, "21", name, null, List.of(), false);
  }
}
