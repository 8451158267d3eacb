package dev.tidemark.cli.serve;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium, without a screen. A test that finds none is skipped with the reason. */
final class Browser implements AutoCloseable {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  static Browser open() {
    assumeTrue(
        Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
        () ->
            "Skipped: "
                + CHROMIUM
                + " or "
                + DRIVER
                + " is not there; apt-get install chromium chromium-driver");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
        "--lang=en-GB");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .withTimeout(PATIENCE)
            .withEnvironment(Map.of("TZ", "Asia/Seoul"))
            .build();
    return new Browser(new ChromeDriver(service, options));
  }

  /** As wide as said, and as high as the page. */
  Browser wide(int width) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
    return this;
  }

  /** Runs this in every page before its own scripts, from now on; the end takes it back. */
  AutoCloseable before(String script) {
    String id =
        (String)
            driver
                .executeCdpCommand(
                    "Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
                .get("identifier");
    return () ->
        driver.executeCdpCommand(
            "Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", id));
  }

  /** Opens the page and waits until it shows tables. */
  Browser show(URI page) {
    driver.get(page.toString());
    try {
      await("html[data-ready=true]");
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("The page shows no table; it complains of " + complaints(), e);
    }
    return this;
  }

  /** Opens the page, whatever it shows. */
  void open(URI page) {
    driver.get(page.toString());
  }

  /** Waits until there is such an element. */
  WebElement await(String css) {
    return Objects.requireNonNull(
        Awaitility.await(css)
            .atMost(PATIENCE)
            .until(() -> all(css).stream().findFirst().orElse(null), Objects::nonNull));
  }

  WebElement one(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  void press(CharSequence... keys) {
    focused().sendKeys(keys);
  }

  void tab() {
    press(Keys.TAB);
  }

  Object script(String text, Object... arguments) {
    return Objects.requireNonNullElse(driver.executeScript(text, arguments), "");
  }

  /** What the page complained of since it was asked last. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::toString)
        .toList();
  }

  /** The whole page as a picture below target/screenshots. */
  Path picture(String name) {
    return picture(
        name, ((Number) script("return document.documentElement.scrollHeight")).intValue());
  }

  /** The upper part of the page, so many pixels high. */
  Path picture(String name, int height) {
    Object width = script("return innerWidth");
    Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
    Map<String, Object> shot =
        driver.executeCdpCommand(
            "Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
    try {
      Files.createDirectories(SCREENSHOTS);
      return Files.write(
          SCREENSHOTS.resolve(name + ".png"),
          Base64.getDecoder().decode((String) shot.get("data")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
