package dev.tidemark.cli.serve;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The page: a few files from the class path, read once. */
final class Assets {
  private static final Map<String, String> TYPES =
      Map.of(
          "index.html", "text/html; charset=utf-8",
          "tidemark.css", "text/css; charset=utf-8",
          "tidemark.js", "text/javascript; charset=utf-8",
          "chart.js", "text/javascript; charset=utf-8",
          "tiles.js", "text/javascript; charset=utf-8",
          "times.js", "text/javascript; charset=utf-8",
          "dom.js", "text/javascript; charset=utf-8",
          "icon.svg", "image/svg+xml");

  private final Map<String, Reply> replies = new TreeMap<>();

  Assets() {
    TYPES.forEach((name, type) -> replies.put(name, new Reply(200, type, read(name), Map.of())));
  }

  /** The file of that name; the page itself for none. Null if there is no such file. */
  @Nullable Reply find(String name, EntityTag.Known known) {
    Reply reply = replies.get(name.isEmpty() ? "index.html" : name);
    return reply == null ? null : reply.tagged(new EntityTag(Digest.of(reply.body())), known);
  }

  private static byte[] read(String name) {
    try (InputStream in = Assets.class.getResourceAsStream("page/" + name)) {
      if (in == null) {
        throw new IllegalStateException("Cannot find " + name + " of the page in the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
