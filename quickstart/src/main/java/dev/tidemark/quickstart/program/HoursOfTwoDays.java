package dev.tidemark.quickstart.program;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** What a table answers for each hour of the two days of the flights, one letter per hour. */
public final class HoursOfTwoDays {
  private static final LocalDate FIRST_DAY = LocalDate.of(2001, 1, 10);
  private static final int DAYS = 2;

  private HoursOfTwoDays() {}

  /** The lines, the first one with what the letters mean. */
  public static List<String> lines(TableFinality finality) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "hours       # final   ^ final, reopened by late rows   . open   ? unknown   ! revoked");
    String letters = letters(finality);
    for (int day = 0; day < DAYS; day++) {
      StringBuilder hours = new StringBuilder("            " + FIRST_DAY.plusDays(day) + "  ");
      for (int hour = 0; hour < 24; hour += 6) {
        int at = 24 * day + hour;
        hours.append(letters, at, at + 6).append("  ");
      }
      lines.add(hours.toString().stripTrailing());
    }
    return lines;
  }

  /** The letters of all hours behind each other. */
  public static String letters(TableFinality finality) {
    StringBuilder letters = new StringBuilder();
    Instant start = FIRST_DAY.atStartOfDay().toInstant(ZoneOffset.UTC);
    for (int hour = 0; hour < 24 * DAYS; hour++) {
      letters.append(symbol(finality.answerAt(start.plusSeconds(3600L * hour))));
    }
    return letters.toString();
  }

  private static char symbol(FinalityAnswer answer) {
    if (answer instanceof FinalityAnswer.Ready) {
      return '#';
    }
    if (answer instanceof FinalityAnswer.LateReopened) {
      return '^';
    }
    if (answer instanceof FinalityAnswer.Revoked) {
      return '!';
    }
    return answer instanceof FinalityAnswer.Unknown ? '?' : '.';
  }
}
