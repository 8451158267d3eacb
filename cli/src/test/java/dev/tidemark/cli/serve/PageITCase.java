package dev.tidemark.cli.serve;

import static dev.tidemark.cli.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import javax.imageio.ImageIO;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page as people see it, hear it and walk it. Pictures are in target/screenshots. */
class PageITCase {
  private static final String ORDERS = "article[aria-labelledby='t-lake.db.orders-h'] ";
  private static final String PAYMENTS = "article[aria-labelledby='t-lake.db.payments-h'] ";
  private static final String REFUNDS = "article[aria-labelledby='t-lake.db.refunds-h'] ";

  // One script each: an element that was found may be gone before it is asked, on a page that
  // redraws.
  private static final String WATERMARK =
      "return document.querySelector('.headline time').dateTime";
  private static final String WHY = "return document.querySelector('.why-text').textContent";
  private static final String SAID = "return document.querySelector('#live').textContent";

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  static Path directory;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Served served;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Browser browser;

  @BeforeAll
  static void fill() {
    browser = Browser.open();
    Story.tell(directory, "orders", 36, List.of(20, 27), List.of());
    Story.tell(directory, "payments", 20, List.of(), List.of(14, 15, 16, 17, 18, 19));
    Table refunds = Story.tell(directory, "refunds", 20, List.of(), List.of());
    long before =
        IcebergHistory.of(refunds, "main")
            .snapshots()
            .skip(10)
            .findFirst()
            .orElseThrow()
            .snapshotId();
    refunds.manageSnapshots().rollbackTo(before).commit();
    TestCatalog.hadoop(directory).create("fresh");
    served =
        Served.of(
                directory, "lake.db.orders", "lake.db.payments", "lake.db.refunds", "lake.db.fresh")
            .polled();
  }

  @AfterAll
  @SuppressWarnings("NullAway") // null where the browser was not found
  static void close() {
    if (served != null) {
      served.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void thePageComplainsOfNothing() {
    assertThat(browser.complaints()).isEmpty();
  }

  private static Browser page() {
    return browser.wide(1600).show(served.server().uri());
  }

  /** Opens the table below the timeline; the browser reports that later, the page fills it then. */
  private static void unfold(Browser page) {
    page.one(ORDERS + "summary").click();
    page.await(ORDERS + "details[open] tbody tr");
  }

  @Test
  void tilesTellTheirStatesInWordsAndInShapes() {
    Browser page = page();
    for (String state : List.of("final", "open", "reopened")) {
      List<WebElement> tiles = page.all(ORDERS + ".tile[data-state=" + state + "]");
      assertThat(tiles).as(state).isNotEmpty();
      assertThat(tiles)
          .allSatisfy(
              tile -> {
                assertThat(tile.getDomAttribute("role")).isEqualTo("gridcell");
                assertThat(tile.getDomAttribute("aria-label")).contains(": " + state);
              });
      assertThat(page.all(ORDERS + ".tile[data-state=" + state + "] use[href='#s-" + state + "']"))
          .hasSameSizeAs(tiles);
    }
    assertThat(page.one(ORDERS + ".tile[data-state=reopened]").getDomAttribute("aria-label"))
        .containsPattern("\\d+ late rows?, revision \\d+");
    assertThat(page.all(REFUNDS + ".tile[data-state=final]")).isEmpty();
    assertThat(page.all(REFUNDS + ".tile[data-state=revoked]")).isNotEmpty();
    assertThat(page.one(REFUNDS + ".badge").getText()).isEqualTo("Revoked");
    assertThat(page.one(ORDERS + ".badge").getText()).isEqualTo("Moving");
  }

  @Test
  void hasItsLandmarksAndEveryPictureItsWords() {
    Browser page = page();
    for (String landmark :
        List.of(
            "header.top", "nav[aria-label]", "main", "footer", "[role=status][aria-live=polite]")) {
      assertThat(page.all(landmark)).as(landmark).hasSize(1);
    }
    assertThat(page.all("h1")).hasSize(1);
    assertThat(page.all("article")).hasSize(4);
    List<WebElement> charts = page.all("svg.chart:not([hidden])");
    assertThat(charts).hasSize(3); // of the tables that have commits
    for (WebElement chart : charts) {
      for (String id : String.valueOf(chart.getDomAttribute("aria-labelledby")).split(" ", -1)) {
        assertThat(page.script("return document.getElementById(arguments[0]).textContent", id))
            .asString()
            .isNotBlank();
      }
    }
    assertThat(
            page.script(
                "return [...document.querySelectorAll('[aria-labelledby]')].flatMap(e =>"
                    + " e.getAttribute('aria-labelledby').split(' ')).filter(id =>"
                    + " !document.getElementById(id)).length"))
        .isEqualTo(0L);
    assertThat(
            page.script(
                "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                    + " return ids.length - new Set(ids).size"))
        .isEqualTo(0L);
  }

  @Test
  void chartIsThereAsATableToo() {
    Browser page = page();
    unfold(page);
    assertThat(page.all(ORDERS + "tbody tr"))
        .hasSize(37); // the registration of the writer is a commit too
    assertThat(page.all(ORDERS + "thead th[scope=col]")).hasSize(8);
    assertThat(page.all(ORDERS + "tbody tr:first-child th[scope=row]")).hasSize(1);
  }

  @Test
  void tilesAreWalkedByArrowsAndOneIsInTheTabOrder() {
    Browser page = page();
    assertThat(page.all(ORDERS + ".tile[tabindex='0']")).hasSize(1);
    page.script("arguments[0].focus()", page.one(ORDERS + ".tile[tabindex='0']"));
    page.press(Keys.chord(Keys.CONTROL, Keys.HOME));
    String first = page.focused().getDomAttribute("data-start");
    assertThat(page.one(ORDERS + ".tile").getDomAttribute("data-start")).isEqualTo(first);
    page.press(Keys.ARROW_RIGHT);
    assertThat(page.focused().getDomAttribute("data-start")).isNotEqualTo(first);
    assertThat(page.focused().getDomAttribute("aria-selected")).isEqualTo("true");
    page.press(Keys.ARROW_LEFT);
    assertThat(page.focused().getDomAttribute("data-start")).isEqualTo(first);
    page.press(Keys.ARROW_DOWN);
    assertThat(page.focused().getDomAttribute("data-start"))
        .isEqualTo(java.time.Instant.parse(String.valueOf(first)).plusSeconds(86_400).toString());
    page.press(Keys.ARROW_UP);
    page.press(Keys.END);
    assertThat(page.focused().getDomAttribute("aria-label")).contains("23:00 to 00:00");
    assertThat(page.all(ORDERS + ".tile[tabindex='0']")).hasSize(1);
    assertThat(page.one(ORDERS + ".detail").getText()).contains("23:00 to 00:00");
    assertThat(page.script("return getComputedStyle(document.activeElement).outlineStyle"))
        .isEqualTo("solid");
  }

  @Test
  void keyboardBeginsWithTheSkipLink() {
    Browser page = page();
    page.script("document.body.tabIndex = -1; document.body.focus();");
    page.tab();
    assertThat(page.focused().getDomAttribute("class")).isEqualTo("skip");
    assertThat(page.focused().getRect().getY()).isNotNegative();
  }

  @Test
  void timesAreInTheZoneThatIsChosen() {
    Browser page = page();
    assertThat(page.one(ORDERS + ".headline").getText()).endsWith("UTC");
    String utc = page.one(ORDERS + ".headline time").getText();
    page.script("document.querySelector('#zone input[value=local]').click()");
    assertThat(page.one(ORDERS + ".headline").getText()).endsWith("Asia/Seoul");
    assertThat(page.one(ORDERS + ".headline time").getText()).isNotEqualTo(utc);
    page.script("document.querySelector('#zone input[value=utc]').click()");
    assertThat(page.one(ORDERS + ".headline time").getText()).isEqualTo(utc);
  }

  @Test
  void fitsANarrowAndAWideScreenInBothColours() throws IOException {
    for (int width : List.of(360, 820, 1600)) {
      Browser page = browser.wide(width).show(served.server().uri());
      unfold(page);
      for (String theme : List.of("light", "dark")) {
        page.script("document.querySelector('#theme input[value=" + theme + "]').click()");
        await()
            .untilAsserted(
                () ->
                    assertThat(page.script("return document.documentElement.scrollWidth"))
                        .isEqualTo((long) width));
        assertThat(
                page.script(
                    "return [...document.querySelectorAll('article, article *:not(.scroll *, .unseen,"
                        + " svg *)')].filter(e => e.getBoundingClientRect().right > innerWidth).length"))
            .as("elements beyond the edge at " + width)
            .isEqualTo(0L);
        assertThat(ImageIO.read(page.picture(theme + "-" + width).toFile()).getWidth())
            .isEqualTo(width);
      }
      assertThat(page.script("return getComputedStyle(document.body).backgroundColor"))
          .isEqualTo("rgb(15, 23, 25)");
      page.script("document.querySelector('#theme input[value=auto]').click()");
    }
  }

  @Test
  void textStandsOutFromItsGround() {
    Browser page = page();
    for (String theme : List.of("light", "dark")) {
      page.script("document.querySelector('#theme input[value=" + theme + "]').click()");
      Object weak = page.script(CONTRAST);
      assertThat(weak).as(theme).isEqualTo(List.of());
    }
    page.script("document.querySelector('#theme input[value=auto]').click()");
  }

  /** Texts whose contrast with the nearest painted ground is below that of WCAG AA, 4.5 to 1. */
  private static final String CONTRAST =
      """
      const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
      const rgb = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = e => {
        for (; e; e = e.parentElement) {
          const c = rgb(getComputedStyle(e).backgroundColor);
          if (c[3] > 250) return c;
        }
        return [255, 255, 255];
      };
      return [...document.querySelectorAll("p, b, span, dt, dd, h1, h2, h3, time, a, th, td, summary, small")]
        .filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
        .map(e => {
          const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
          return {text: e.textContent.slice(0, 30), ratio: (a + 0.05) / (b + 0.05)};
        })
        .filter(({ratio}) => ratio < 4.5).map(({text, ratio}) => `${text}: ${ratio.toFixed(2)}`);
      """;

  @Test
  void newCommitIsShownAndSaidAndTheFocusStays() {
    String name = "live";
    Table table = TestCatalog.hadoop(directory).create(name);
    EventWriter writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10");
    try (Served one =
        Served.of(directory, Served.options(null, 10), Alerts.none(), "lake.db." + name).polled()) {
      browser.wide(1600).show(one.server().uri());
      Object start =
          browser.script(
              "const last = document.querySelector('.tile[data-state=final]:has(+"
                  + " .tile[data-state=open])'); last.focus(); return last.dataset.start;");
      writer.write("11:20", "14:05");
      browser.await(".tile[data-state=reopened]");
      await()
          .untilAsserted(
              () ->
                  assertThat(browser.script(SAID))
                      .asString()
                      .contains("lake.db.live: ")
                      .contains("11:00 to 12:00: reopened, 1 late row, revision 1"));
      assertThat(browser.script("return document.activeElement.dataset.start")).isEqualTo(start);
      assertThat(browser.script("return document.activeElement.dataset.state"))
          .isEqualTo("reopened");
      writer.write("14:10");
      await()
          .untilAsserted(
              () -> assertThat(browser.script(WATERMARK)).isEqualTo("2026-01-01T14:00:00Z"));
      assertThat(browser.complaints()).isEmpty();
      browser.show(served.server().uri());
    }
  }

  @Test
  void refreshThatFailedOnceIsMadeUpFor() throws Exception {
    Table table = TestCatalog.hadoop(directory).create("hiccup");
    EventWriter writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10");
    String failsTheSecondTime =
        """
        const ask = window.fetch;
        let asked = 0;
        window.fetch = (path, options) => String(path).endsWith("/hours") && ++asked === 2
          ? Promise.reject(new TypeError("lost")) : ask(path, options);
        """;
    try (Served one =
            Served.of(directory, Served.options(null, 10), Alerts.none(), "lake.db.hiccup")
                .polled();
        AutoCloseable script = browser.before(failsTheSecondTime)) {
      assertThat(script).isNotNull();
      browser.wide(1600).show(one.server().uri());
      writer.write("13:10", "14:05");
      await()
          .untilAsserted(
              () -> assertThat(browser.script(WATERMARK)).isEqualTo("2026-01-01T13:00:00Z"));
      // It is said once it is shown.
      await().untilAsserted(() -> assertThat(browser.script(SAID)).asString().contains("13:00"));
      assertThat(browser.complaints()).as("the lost one alone").hasSize(1);
    }
    browser.show(served.server().uri());
    browser.complaints();
  }

  @Test
  void silenceAppearsOnAPageThatIsOpen() throws Exception {
    EngineRun run = new EngineRun();
    FinalizationConfig config =
        FinalizationConfig.forWriter("orders")
            .lookback(1, Duration.ZERO)
            .readFromBeginning()
            .build();
    run.by(config).rows("10:05", "10:50").commit().by(config).rows("11:05", "11:20").commit();
    ScriptedTable table = new ScriptedTable("lake.db.quiet", run);
    String impatient =
        "const every = window.setInterval;"
            + " window.setInterval = (f, millis) => every(f, Math.min(millis, 200));";
    try (Served one = Served.of(Clock.systemUTC(), null, table).polled();
        AutoCloseable script = browser.before(impatient)) {
      assertThat(script).isNotNull();
      browser.wide(1600).show(one.server().uri());
      assertThat(browser.script(WHY)).asString().doesNotContain("No commit for");
      table.isSilentFor(Duration.ofHours(3));
      await()
          .untilAsserted(
              () -> assertThat(browser.script(WHY)).asString().contains("No commit for 3 h"));
      assertThat(browser.complaints()).isEmpty();
    }
    browser.show(served.server().uri());
    browser.complaints(); // of the server that has ended
  }

  @Test
  void explanationIsThatOfTheServer() {
    Browser page = page();
    JsonNode said = served.client().get("/v1/tables/lake.db.payments/explain").json();
    String shown = page.one(PAYMENTS + ".why-text").getText();
    assertThat(shown).contains(said.get("summary").asText());
    assertThat(said.get("moves")).isNotEmpty();
    said.get("moves").forEach(move -> assertThat(shown).contains(move.asText()));
    said.get("responsible").forEach(one -> assertThat(shown).contains(one.get("text").asText()));
    assertThat(page.one(PAYMENTS + ".facts").getText()).containsIgnoringCase("Hold");
  }

  @Test
  void timelineShowsWatermarkBandHoldsAndLateRows() {
    Browser page = page();
    for (String mark : List.of("path.watermark", "path.water", "polygon.band", "polyline.median")) {
      assertThat(page.all(ORDERS + "svg.chart " + mark)).as(mark).hasSize(1);
    }
    long late =
        served
            .client()
            .get("/v1/tables/lake.db.orders/commits")
            .json()
            .get("commits")
            .findValues("lateRows")
            .stream()
            .filter(rows -> rows.asLong() > 0)
            .count();
    assertThat(late).isPositive();
    assertThat(page.all(ORDERS + "svg.chart path.late")).hasSize((int) late);
    assertThat(page.all(PAYMENTS + "svg.chart rect.hold")).isNotEmpty();
    assertThat(page.all(PAYMENTS + "svg.chart path.late")).isEmpty();
  }

  @Test
  void asksForTheTokenAndThenShowsTheTables() {
    String secret = "a-token-that-nobody-guesses";
    try (Served locked =
        Served.of(directory, Served.options(Token.of(secret), 10), Alerts.none(), "lake.db.orders")
            .polled("Authorization", "Bearer " + secret)) {
      browser.open(locked.server().uri());
      browser.await("#token:not([hidden])");
      browser.press(secret + Keys.ENTER);
      browser.await("html[data-ready=true]");
      assertThat(browser.all("article")).hasSize(1);
      browser.show(served.server().uri());
      browser.complaints(); // Chromium notes the 401
    }
  }
}
