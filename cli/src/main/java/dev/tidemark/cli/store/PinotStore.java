package dev.tidemark.cli.store;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.CommitSearch;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotHistory;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.PinotTruth;
import dev.tidemark.pinot.commit.PinotFinalizationAdmin;
import dev.tidemark.pinot.controller.BackOff;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.PinotAuth;
import dev.tidemark.pinot.controller.PinotRefusedException;
import dev.tidemark.pinot.controller.PinotTls;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Pinot behind one controller. Keys: {@code controller} (its URL), and where needed {@code user}
 * and {@code password}, or {@code token}, or {@code token-file}; {@code truststore}, {@code
 * truststore-type} (PKCS12) and {@code truststore-password}.
 */
final class PinotStore implements Store {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final Set<String> KEYS =
      Set.of(
          "type",
          "controller",
          "user",
          "password",
          "token",
          "token-file",
          "truststore",
          "truststore-type",
          "truststore-password");

  /** One attempt: who waits has a back-off of its own. A budget of nothing allows none at all. */
  private static final BackOff ONCE =
      new BackOff(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(1));

  /** A change is tried for longer: nobody asks for it a second time. */
  private static final BackOff CHANGE =
      new BackOff(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(20));

  private final ControllerSettings changing;
  private final ControllerClient controller;
  private final Clock clock;

  private PinotStore(ControllerSettings reading, ControllerSettings changing, Clock clock) {
    this.changing = changing;
    this.controller = ControllerClient.of(reading);
    this.clock = clock;
  }

  static PinotStore open(String catalog, SortedMap<String, String> properties, Clock clock) {
    Set<String> unknown = new TreeSet<>(properties.keySet());
    unknown.removeAll(KEYS);
    String url = properties.get("controller");
    if (!unknown.isEmpty() || url == null) {
      throw new IllegalArgumentException(
          "Invalid catalog "
              + catalog
              + ": "
              + (url == null ? "controller is not set" : "unknown keys " + unknown)
              + " (expected: controller, and of "
              + new TreeSet<>(KEYS)
              + " what is needed)");
    }
    return new PinotStore(
        settings(url, properties, ONCE), settings(url, properties, CHANGE), clock);
  }

  private static ControllerSettings settings(
      String url, SortedMap<String, String> properties, BackOff backOff) {
    return ControllerSettings.builder(url)
        .auth(auth(properties))
        .tls(tls(properties))
        .backOff(backOff)
        .build();
  }

  private static PinotAuth auth(SortedMap<String, String> properties) {
    String user = properties.get("user");
    String token = properties.get("token");
    String file = properties.get("token-file");
    if (user != null) {
      return PinotAuth.basic(user, properties.getOrDefault("password", ""));
    }
    if (token != null) {
      return PinotAuth.bearer(token);
    }
    return file == null ? PinotAuth.none() : PinotAuth.bearerFile(Path.of(file));
  }

  private static PinotTls tls(SortedMap<String, String> properties) {
    String store = properties.get("truststore");
    return store == null
        ? PinotTls.ofJvm()
        : PinotTls.ofJvm()
            .trusting(
                Path.of(store),
                properties.getOrDefault("truststore-type", "PKCS12"),
                properties.getOrDefault("truststore-password", ""));
  }

  @Override
  public FinalityTable table(TableAddress address) {
    PinotTable table = PinotTable.parse(address.table());
    if (asked(address, () -> controller.tableConfig(table)).isEmpty()) {
      throw new TableNotFoundException(
          "Cannot find table " + address + " at " + changing.url() + " (expected: a table)", null);
    }
    return new Opened(address, table, PinotFinality.of(table, controller, clock));
  }

  @Override
  public List<String> tables() {
    return asked(
        "Cannot list the tables at " + changing.url(),
        () ->
            controller.tables().stream()
                .flatMap(raw -> Stream.of(raw + "_OFFLINE", raw + "_REALTIME"))
                .filter(name -> controller.tableConfig(PinotTable.parse(name)).isPresent())
                .toList());
  }

  @Override
  public void close() {}

  private static <T> T asked(TableAddress address, Supplier<T> question) {
    return asked("Cannot ask for " + address, question);
  }

  private static <T> T asked(String what, Supplier<T> question) {
    try {
      return question.get();
    } catch (PinotRefusedException e) {
      if (e.status() == UNAUTHORIZED || e.status() == FORBIDDEN) {
        throw new IllegalArgumentException(
            what + ": " + e.getMessage() + " (expected: a user with access)", e);
      }
      throw unreachable(what, e);
    } catch (PinotUnavailableException | UncheckedIOException e) {
      throw unreachable(what, e);
    }
  }

  private static StoreUnreachableException unreachable(String what, RuntimeException e) {
    return new StoreUnreachableException(what + ": " + e.getMessage(), e);
  }

  /** The same for a stream that asks the controller for each of its elements. */
  private static <T> Stream<T> asked(TableAddress address, Stream<T> lazy) {
    Iterator<T> elements = lazy.iterator();
    Iterator<T> guarded =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return asked(address, elements::hasNext);
          }

          @Override
          public T next() {
            return asked(address, elements::next);
          }
        };
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(guarded, Spliterator.ORDERED), false);
  }

  private final class Opened implements FinalityTable {
    private final TableAddress address;
    private final PinotTable table;
    private final PinotFinality finality;
    private final CommitSearch search;
    private @Nullable PinotFinalizationAdmin admin;

    Opened(TableAddress address, PinotTable table, PinotFinality finality) {
      this.address = address;
      this.table = table;
      this.finality = finality;
      this.search = new CommitSearch(table, controller);
    }

    @Override
    public String name() {
      return address.toString();
    }

    @Override
    public TableFinality finality() {
      return asked(address, finality::read);
    }

    @Override
    public Stream<RecentCommit> commits() {
      RecentCommit newest = asked(address, () -> truth().newest().orElse(null));
      return asked(address, new PinotHistory(newest, search).newestFirst());
    }

    @Override
    public List<String> revocation() {
      return asked(
          address,
          () -> truth().contradictions().stream().map(PinotTruth.Contradiction::reason).toList());
    }

    @Override
    public void retire(String writer) {
      change(() -> admin().retire(writer));
    }

    @Override
    public void completeBootstrap(Instant from) {
      change(() -> admin().completeBootstrap(from));
    }

    @Override
    public void reset() {
      change(() -> admin().reset());
    }

    @Override
    public FinalTag tag(String name, long startMillis, long endMillis, @Nullable Duration keep) {
      throw new IllegalArgumentException(
          "Cannot tag "
              + address
              + ": a Pinot table has no snapshots to go back to (expected: an Iceberg table; where"
              + " one job fills both, tag that one)");
    }

    private PinotTruth truth() {
      return PinotTruth.read(table, controller, search, clock.millis());
    }

    private void change(Runnable change) {
      asked(
          address,
          () -> {
            change.run();
            return true;
          });
    }

    private PinotFinalizationAdmin admin() {
      PinotFinalizationAdmin made = admin;
      if (made == null) {
        made = PinotFinalizationAdmin.of(table, changing);
        admin = made;
      }
      return made;
    }
  }
}
