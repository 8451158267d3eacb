package dev.tidemark.pipeline.event;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds each source server to one GTID domain. Sequences of two domains cannot be compared, so a
 * stream that mixes them has no total order and is refused. One thread.
 */
public final class SingleGtidDomain {
  private final Map<String, Long> domains = new LinkedHashMap<>();

  /**
   * Learns or checks the domain of a change; a snapshot row has none and passes.
   *
   * @throws UnorderableStreamException when the server sent another domain before
   */
  public void check(SourcePoint source) throws UnorderableStreamException {
    Gtid gtid = source.gtid();
    if (gtid != null) {
      check(source.server(), gtid.domain());
    }
  }

  /** As {@link #check(SourcePoint)}, for a domain that is already known, say from a checkpoint. */
  public void check(String server, long domain) throws UnorderableStreamException {
    @Nullable Long known = domains.putIfAbsent(server, domain);
    if (known != null && known != domain) {
      throw new UnorderableStreamException(
          ("Cannot order the changes of server \"%s\": GTID domain %d after domain %d (expected:"
                  + " one domain). Sequences of different domains cannot be compared; set one"
                  + " gtid_domain_id on the source, or read each domain in a job of its own.")
              .formatted(server, domain, known));
    }
  }

  /** The domain of each server seen so far. */
  public Map<String, Long> domains() {
    return Map.copyOf(domains);
  }
}
