package dev.tidemark.quickstart.embedded.pinot;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The one user whom controller and broker let in; the servers come as that user too. */
record BasicAuth(String user, String password) {

  /** The value of the Authorization header. */
  String header() {
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  Map<String, Object> controller() {
    return access(
        "controller.admin.access.control",
        "controller.admin.access.control.factory.class",
        org.apache.pinot.controller.api.access.BasicAuthAccessControlFactory.class);
  }

  Map<String, Object> broker() {
    return access(
        "pinot.broker.access.control",
        "pinot.broker.access.control.class",
        org.apache.pinot.broker.broker.BasicAuthAccessControlFactory.class);
  }

  private Map<String, Object> access(String prefix, String classKey, Class<?> factory) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(classKey, factory.getName());
    settings.put(prefix + ".principals", user);
    settings.put(prefix + ".principals." + user + ".password", password);
    return settings;
  }
}
