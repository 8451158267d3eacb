package dev.tidemark.finalization.watermark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Why a watermark stays where it is.
 *
 * @param reason the kind
 * @param names who is responsible: partitions or writers; empty where nobody in particular is. At
 *     most {@value #MAX_NAMES}, then {@code +n}
 */
public record Hold(Reason reason, List<String> names) {
  private static final int MAX_NAMES = 4;

  /** The kinds of hold. */
  public enum Reason {
    /** Fewer commits, or a shorter span of commit time, than the window asks for. */
    WARM_UP,
    /** The candidate lies in the granule that the watermark has reached: nothing new is whole. */
    INSIDE_GRANULE,
    /** Late rows pulled the candidate below the watermark, which does not go back. */
    LATE_DATA,
    /** This commit holds no stream record, and nothing else says that time went on. */
    NO_DATA,
    /** Source partitions have nothing to read, and the rule is to wait for them. */
    IDLE_SOURCE,
    /** Source partitions hold data that was not read yet. */
    SOURCE_BEHIND,
    /** Other registered writers have not come as far. */
    WRITER_BEHIND,
    /** A foreign commit brought rows whose event times are not known. */
    FOREIGN_COMMIT,
    /** A bootstrap runs beside the stream. */
    BOOTSTRAP_PENDING,
    /** The table was rolled back behind the published watermark; an explicit reset is needed. */
    ROLLED_BACK,
    /** The commit time is earlier than the parent's: a clock is wrong. */
    CLOCK
  }

  public Hold {
    Objects.requireNonNull(reason, "reason is null");
    names = isShort(names) ? List.copyOf(names) : abridged(names);
  }

  /** A hold that nobody in particular is responsible for. */
  public static Hold of(Reason reason) {
    return new Hold(reason, List.of());
  }

  /** A hold with those responsible, in the order given. */
  public static Hold of(Reason reason, Collection<String> names) {
    return new Hold(reason, List.copyOf(names));
  }

  /**
   * Reads {@link #toString}.
   *
   * @throws IllegalArgumentException if it is not a hold
   */
  public static Hold parse(String text) {
    int open = text.indexOf('(');
    String name = open < 0 ? text : text.substring(0, open);
    boolean closed = open < 0 || text.endsWith(")");
    for (Reason reason : Reason.values()) {
      if (closed && reason.name().equals(name)) {
        return open < 0
            ? of(reason)
            : of(reason, Arrays.asList(text.substring(open + 1, text.length() - 1).split(",")));
      }
    }
    throw new IllegalArgumentException(
        "Invalid hold: " + text + " (expected: one of " + Arrays.toString(Reason.values()) + ")");
  }

  /** {@code SOURCE_BEHIND(events-1,events-3)}. */
  @Override
  public String toString() {
    return names.isEmpty() ? reason.name() : reason.name() + "(" + String.join(",", names) + ")";
  }

  /** Few enough names, or such as {@link #abridged} makes. */
  private static boolean isShort(List<String> names) {
    return names.size() <= MAX_NAMES
        || (names.size() == MAX_NAMES + 1 && names.get(MAX_NAMES).startsWith("+"));
  }

  private static List<String> abridged(List<String> names) {
    List<String> first = new ArrayList<>(names.subList(0, MAX_NAMES));
    first.add("+" + (names.size() - MAX_NAMES));
    return List.copyOf(first);
  }
}
