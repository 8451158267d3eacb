package dev.tidemark.quickstart.program;

import dev.tidemark.quickstart.embedded.pinot.RemotePinot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The options of a program: each a name with two dashes and a value. Immutable. */
public final class Arguments {
  /** The controller of a Pinot that runs already. */
  public static final String CONTROLLER = "--controller";

  /** How long something takes. */
  public static final String SECONDS = "--seconds";

  private final Map<String, String> values;

  private Arguments(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Reads a command line.
   *
   * @param known the options that the program has
   * @throws IllegalArgumentException if there is anything else on it
   */
  public static Arguments parse(String[] args, Set<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!known.contains(args[i]) || i + 1 == args.length) {
        throw new IllegalArgumentException(
            "Invalid arguments: %s (expected: options of %s, each with a value)"
                .formatted(String.join(" ", args), new TreeSet<>(known)));
      }
      values.put(args[i], args[i + 1]);
    }
    return new Arguments(values);
  }

  /**
   * The value of {@value #SECONDS}.
   *
   * @throws IllegalArgumentException if it is none from 1 to 9999
   */
  public long seconds(long byDefault) {
    String value = values.getOrDefault(SECONDS, Long.toString(byDefault));
    if (!value.matches("[1-9][0-9]{0,3}")) {
      throw new IllegalArgumentException(
          "Invalid %s: %s (expected: from 1 to 9999)".formatted(SECONDS, value));
    }
    return Long.parseLong(value);
  }

  /** Makes {@value #CONTROLLER} what {@link RemotePinot#configured} finds. */
  public void useController() {
    String url = values.get(CONTROLLER);
    if (url != null) {
      System.setProperty(RemotePinot.CONTROLLER_PROPERTY, url);
    }
  }
}
