package dev.tidemark.pinot.controller;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Certificates made by the JDK's own tool, and servers that show them. */
final class HttpsServers {
  static final String PASSWORD = "changeit";
  static final String TYPE = "PKCS12";

  private HttpsServers() {}

  /**
   * A store with a new key and a certificate of its own for some host names.
   *
   * @param names as the tool takes them, such as {@code dns:localhost,ip:127.0.0.1}
   */
  static Path store(Path directory, String file, String names)
      throws IOException, InterruptedException {
    Path store = directory.resolve(file);
    List<String> command =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(
        List.of("-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=Tidemark test"));
    command.addAll(List.of("-ext", "san=" + names, "-validity", "2", "-storetype", TYPE));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
    Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.waitFor() != 0) {
      throw new IOException("keytool failed: " + said);
    }
    return store;
  }

  /** A server on 127.0.0.1 that shows the certificate of a store and is not started yet. */
  static HttpsServer server(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance(TYPE);
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    return server;
  }
}
