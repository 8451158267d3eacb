package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.OfflineCommitITCase.ids;
import static dev.tidemark.pinot.commit.OfflineCommitITCase.sum;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.controller.BackOff;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.controller.PinotAuth;
import dev.tidemark.pinot.controller.PinotTls;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Pinot behind a proxy that fails, answers late, or asks for a token. */
class FaultsITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();
  private static final BackOff SHORT =
      new BackOff(Duration.ofMillis(20), Duration.ofMillis(200), Duration.ofSeconds(5));
  private static final String PASSWORD = "changeit";
  private static final AtomicReference<String> TOKEN = new AtomicReference<>("");

  @TempDir Path directory;
  private ControllerProxy proxy;

  @BeforeEach
  void startProxy() throws Exception {
    proxy = new ControllerProxy(SharedPinot.get().controllerUrl(), "/pinot");
  }

  @AfterEach
  void stopProxy() {
    proxy.close();
  }

  @Test
  void failedUploadsAreTriedAgainAndARefusalShowsNothing() throws Exception {
    TestLoad load = table();
    Run run = run("faulty");
    PinotTableCommitter committer = committer(load, settings().build());

    proxy.answerUpload(503);
    proxy.answerUpload(503);
    committer.publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));
    assertThat(sum(load)).isEqualTo(List.of(3L, 6.0));

    proxy.dropUpload();
    committer.publish(load.commit(run, 2, false, ids(load, run, 1, 4, 5)));
    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));

    proxy.answerUploadsForEver(403);
    PinotCommit refused = load.commit(run, 3, false, ids(load, run, 2, 6, 7));
    assertThatThrownBy(() -> committer.publish(refused))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("was refused with status 403")
        .hasMessageContaining("check the rights");
    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
    assertThat(refused.segments()).allMatch(load::isStaged);

    proxy.up();
    committer(load, settings().build()).publish(TestLoad.again(refused));
    assertThat(sum(load)).isEqualTo(List.of(7L, 28.0));
  }

  @Test
  void uploadWhoseAnswerIsLostIsFoundByItsChecksum() throws Exception {
    TestLoad load = table();
    Run run = run("lost");
    proxy.dropAnswerOfUpload();
    committer(load, settings().build())
        .publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3), ids(load, run, 1, 4, 6)));
    assertThat(sum(load)).isEqualTo(List.of(6L, 21.0));
    assertThat(load.controller.allSegments(load.table).values())
        .allMatch(info -> info.refreshTimeMillis() == null);
  }

  @Test
  void controllerThatAnswersAfterSixSecondsIsWaitedFor() throws Exception {
    TestLoad load = table();
    Run run = run("slow");
    proxy.delayUpload(6_000);
    committer(load, settings().build()).publish(load.commit(run, 1, true, ids(load, run, 0, 1, 4)));
    assertThat(sum(load)).isEqualTo(List.of(4L, 10.0));
  }

  @Test
  void controllerThatIsDownInTheMiddleFailsTheCommitWhichThenGoesOn() throws Exception {
    TestLoad load = table();
    Run run = run("down");
    PinotCommit commit =
        load.commit(run, 1, false, ids(load, run, 0, 1, 3), ids(load, run, 1, 4, 6));
    PinotTableCommitter committer =
        new PinotTableCommitter(
            plan(load, settings().build()),
            new LocalFiles(),
            Patience.real(),
            step -> {
              if (step == CommitStep.AWAIT_REPLICAS) {
                proxy.down();
              }
            });
    committer.start();

    assertThatThrownBy(() -> committer.publish(commit))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("see whether the controller is up");
    assertThat(sum(load).get(0)).isEqualTo(0L);

    proxy.up();
    committer(load, settings().build()).publish(TestLoad.again(commit));
    assertThat(sum(load)).isEqualTo(List.of(6L, 21.0));
  }

  @Test
  void uploadTimeoutBoundsTheWholeCommitWhateverTheBackOffAllows() throws Exception {
    TestLoad load = table();
    Run run = run("bounded");
    PinotPlan plan =
        PinotPlan.builder(load.table, ControllerSettings.of(proxy.url()))
            .upload(new PinotPlan.Upload(PushMode.TAR, 2, Duration.ofSeconds(3), true))
            .build();
    PinotTableCommitter committer =
        new PinotTableCommitter(plan, new LocalFiles(), Clock.systemUTC());
    committer.start();
    proxy.answerUploadsForEver(503);
    PinotCommit commit = load.commit(run, 1, false, ids(load, run, 0, 1, 3));
    assertThatThrownBy(() -> committer.publish(commit))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("PT3S for all of the commit");
    proxy.up();
    committer(load, settings().build()).publish(TestLoad.again(commit));
    assertThat(sum(load)).isEqualTo(List.of(3L, 6.0));
  }

  @Test
  void controllerOverTlsIsTrustedByItsHostName() throws Exception {
    TestLoad load = table();
    Run run = run("tls");
    Path right = certificate("right.p12", "ip:127.0.0.1");
    Path wrong = certificate("wrong.p12", "dns:pinot.example.com");
    String target = SharedPinot.get().controllerUrl();
    try (ControllerProxy secure = ControllerProxy.withTls(target, right, PASSWORD)) {
      committer(load, overTls(secure, right))
          .publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));
      assertThatThrownBy(() -> committer(load, ControllerSettings.builder(secure.url()).build()))
          .describedAs("the JVM trusts nobody who signed it")
          .isInstanceOf(PinotUnavailableException.class)
          .hasMessageContaining("is not trusted");
    }
    assertThat(sum(load)).isEqualTo(List.of(3L, 6.0));
    try (ControllerProxy other = ControllerProxy.withTls(target, wrong, PASSWORD)) {
      assertThatThrownBy(() -> committer(load, overTls(other, wrong)))
          .isInstanceOf(PinotUnavailableException.class)
          .hasMessageContaining("the certificate of 127.0.0.1:")
          .hasMessageContaining("is not trusted");
    }
  }

  /** Brokers are asked without TLS. */
  private static ControllerSettings overTls(ControllerProxy proxy, Path store) {
    return ControllerSettings.builder(proxy.url())
        .tls(PinotTls.ofJvm().trusting(store, "PKCS12", PASSWORD))
        .brokerUrls(List.of(SharedPinot.get().brokerUrl()))
        .build();
  }

  /** A store with a certificate that its own key has signed, made by the JDK's tool. */
  private Path certificate(String file, String names) throws Exception {
    Path store = directory.resolve(file);
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=Tidemark test",
                "-ext",
                "san=" + names,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.txt").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    return store;
  }

  @Test
  void everyCallIsAuthenticatedAndNoSecretIsTold() throws Exception {
    TestLoad load = table();
    Run run = run("auth");
    PrintStream stderr = System.err;
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    try {
      String basic = "Basic dGlkZTpzZWNyZXQtd29yZA==";
      proxy.accept(basic::equals);
      committer(load, settings().auth(PinotAuth.basic("tide", "secret-word")).build())
          .publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));

      TOKEN.set("first-token");
      proxy.accept(header -> header.equals("Bearer " + TOKEN.get()));
      PinotPlan plan = plan(load, settings().auth(PinotAuth.bearer(() -> TOKEN.get())).build());
      PinotTableCommitter committer =
          new PinotTableCommitter(
              plan,
              new LocalFiles(),
              Patience.real(),
              step -> {
                if (step == CommitStep.AWAIT_REPLICAS) {
                  TOKEN.set("second-token");
                }
              });
      committer.start();
      committer.publish(load.commit(run, 2, false, ids(load, run, 1, 4, 6)));
      assertThat(sum(load)).isEqualTo(List.of(6L, 21.0));
      assertThat(proxy.authorizations())
          .contains(basic, "Bearer first-token", "Bearer second-token")
          .doesNotContain("null");

      proxy.accept(header -> false);
      assertThatThrownBy(
              () -> committer.publish(load.commit(run, 3, false, ids(load, run, 2, 7, 8))))
          .isInstanceOf(PublishFailedException.class)
          .hasMessageContaining("status 401 unknown: Bearer ***")
          .hasMessageNotContaining("second-token");
      assertThat(plan.controller().toString()).doesNotContain("token\"", "second");
    } finally {
      System.setErr(stderr);
    }
    assertThat(told.toString(StandardCharsets.UTF_8))
        .doesNotContain("first-token", "second-token", "secret-word", "dGlkZTpzZWNyZXQtd29yZA==");
  }

  private ControllerSettings.Builder settings() {
    return ControllerSettings.builder(proxy.url()).backOff(SHORT);
  }

  private static PinotPlan plan(TestLoad load, ControllerSettings settings) {
    return PinotPlan.builder(load.table, settings).build();
  }

  private static PinotTableCommitter committer(TestLoad load, ControllerSettings settings) {
    PinotTableCommitter committer =
        new PinotTableCommitter(plan(load, settings), new LocalFiles(), Clock.systemUTC());
    committer.start();
    return committer;
  }

  private TestLoad table() throws Exception {
    String name = "faults_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfA(name), Tables.configOfA(name), directory);
  }
}
