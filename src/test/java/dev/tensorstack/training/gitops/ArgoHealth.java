package dev.tensorstack.training.gitops;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.TableLib;

/**
 * Runs a health script as Argo CD does: the object is the global {@code obj}, and there are no
 * libraries but the base, package and table ones. There is no {@code string}: what it has, a script
 * in {@code argocd-cm} does not have either.
 */
final class ArgoHealth {

  private final String script;

  /**
   * A script.
   *
   * @param script its text
   */
  ArgoHealth(String script) {
    this.script = script;
  }

  /**
   * What a script returns.
   *
   * @param status one of Argo CD's words for health
   * @param message what Argo CD shows beside it
   */
  record Health(String status, String message) {}

  /** Runs the script on an object. */
  Health of(JsonNode object) {
    Globals globals = new Globals();
    globals.load(new BaseLib());
    globals.load(new PackageLib());
    globals.load(new TableLib());
    LoadState.install(globals);
    LuaC.install(globals);
    globals.set("obj", value(object));
    LuaTable returned = globals.load(script, "health.lua").call().checktable();
    return new Health(
        returned.get("status").checkjstring(), returned.get("message").checkjstring());
  }

  private static LuaValue value(JsonNode node) {
    if (node.isObject()) {
      LuaTable table = new LuaTable();
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        table.set(field.getKey(), value(field.getValue()));
      }
      return table;
    }
    if (node.isArray()) {
      LuaTable table = new LuaTable();
      for (JsonNode element : node) {
        table.set(table.length() + 1, value(element));
      }
      return table;
    }
    if (node.isNumber()) {
      return LuaValue.valueOf(node.doubleValue());
    }
    if (node.isBoolean()) {
      return LuaValue.valueOf(node.booleanValue());
    }
    return node.isTextual() ? LuaValue.valueOf(node.textValue()) : LuaValue.NIL;
  }
}
