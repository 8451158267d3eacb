package dev.tidemark.benchmarks;

import dev.tidemark.pinot.segment.BuiltSegment;
import dev.tidemark.pinot.segment.SegmentBuilder;
import dev.tidemark.pinot.segment.SegmentIdentity;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.SegmentTable;
import java.io.File;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * CPU time per row, from a row to the tar of a segment, of the connector that Pinot ships over that
 * of ours: {@value #SEGMENTS} segments of {@value #SEGMENT_ROWS} rows each, in two index
 * configurations, whose targets are {@value #DEFAULT_TARGET} and {@value #RAW_TARGET} times. Both
 * work on the calling thread and take turns every {@value #TURN_ROWS} rows, which are made just
 * before they are added, {@value #SLICE_ROWS} at a time, so that they are as warm as a record that
 * a job has just read. The figure is the smaller of the two ratios.
 */
final class PinotBuildBenchmark implements Benchmark {
  private static final int SEGMENTS = 4;
  private static final int SEGMENT_ROWS = 500_000;
  private static final int TURN_ROWS = 50_000;
  private static final int SLICE_ROWS = 50;
  private static final double DEFAULT_TARGET = 5;
  private static final double RAW_TARGET = 10;
  private static final double MOST_HEAP = 1.5;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Override
  public String summary() {
    return "CPU time of the existing Pinot connector over ours, from rows to a segment's tar";
  }

  @Override
  public Target target() {
    return Target.atLeast(DEFAULT_TARGET, "times less CPU");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) throws Exception {
    int segments = Rounds.of(arguments, SEGMENTS);
    out.printf(
        "CPU of the calling thread, build and tar; %d segments of %,d rows after one to warm up;"
            + " the first is loaded and compared value by value.%n",
        segments, SEGMENT_ROWS);
    List<String> misses = new ArrayList<>();
    double plain = ratio("default indexes", List.of(), segments, misses, out);
    double raw = ratio("raw columns", PinotRows.RAW, segments, misses, out);
    if (raw < RAW_TARGET) {
      misses.add("raw columns: " + Target.text(raw) + " times less CPU (target >= 10)");
    }
    return new Figure(Math.min(plain, raw), misses);
  }

  private static double ratio(
      String name, List<String> rawColumns, int segments, List<String> misses, PrintStream out)
      throws Exception {
    try (Contest contest = new Contest(rawColumns)) {
      contest.segment(0);
      contest.compareSegments();
      contest.forgetFigures();
      for (int i = 1; i <= segments; i++) {
        contest.segment(i);
      }
      out.printf("  %s%n", name);
      print(out, "existing connector, ns/row", contest.existing);
      print(out, "ours, ns/row", contest.ours);
      print(out, "ours, rows into columns, ns/row", contest.adding);
      print(out, "ratio, per segment", contest.ratios());
      double heap = contest.heapOfBuild(out);
      if (heap > MOST_HEAP) {
        misses.add("heap of a build: " + Target.text(heap) + " times its rows' (target <= 1.5)");
      }
      return Spread.of(contest.ratios()).median();
    }
  }

  private static void print(PrintStream out, String what, List<Double> figures) {
    print(out, what, figures.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static void print(PrintStream out, String what, double[] figures) {
    out.printf("    %-34s %s%n", what, Spread.of(figures));
  }

  /** Both ways over the same rows. */
  private static final class Contest implements AutoCloseable {
    private final ExistingConnectorPath theirs;
    private final SegmentTable table;
    private final SegmentBuilder builder = new SegmentBuilder();
    private final Path work = Files.createTempDirectory("ours-");
    private final List<Double> existing = new ArrayList<>();
    private final List<Double> ours = new ArrayList<>();
    private final List<Double> adding = new ArrayList<>();
    private File theirTar = work.toFile();
    private Path ourTar = work;

    Contest(List<String> rawColumns) throws Exception {
      this.theirs = new ExistingConnectorPath(PinotRows.config(rawColumns), PinotRows.schema());
      this.table = SegmentTable.of(PinotRows.config(rawColumns), PinotRows.schema());
    }

    void segment(int number) throws Exception {
      PinotRows forThem = new PinotRows(number);
      PinotRows forUs = new PinotRows(number);
      SegmentRows rows = table.newRows();
      long theirNanos = 0;
      long ourNanos = 0;
      for (int done = 0; done < SEGMENT_ROWS; done += TURN_ROWS) {
        for (int row = 0; row < TURN_ROWS; row += SLICE_ROWS) {
          theirNanos += addTheirs(slice(forThem));
        }
        for (int row = 0; row < TURN_ROWS; row += SLICE_ROWS) {
          ourNanos += addOurs(rows, slice(forUs));
        }
      }
      adding.add((double) ourNanos / SEGMENT_ROWS);
      String name = "orders_" + number;
      if (number % 2 == 0) {
        theirNanos += flushTheirs(name);
        ourNanos += buildOurs(rows, name);
      } else {
        ourNanos += buildOurs(rows, name);
        theirNanos += flushTheirs(name);
      }
      existing.add((double) theirNanos / SEGMENT_ROWS);
      ours.add((double) ourNanos / SEGMENT_ROWS);
    }

    void forgetFigures() {
      existing.clear();
      ours.clear();
      adding.clear();
    }

    double[] ratios() {
      double[] ratios = new double[ours.size()];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = existing.get(i) / ours.get(i);
      }
      return ratios;
    }

    void compareSegments() throws Exception {
      SegmentComparison.requireEqual(theirTar, ourTar.toFile(), work);
    }

    /** The most live heap while one segment is built, its rows included, over its rows alone. */
    double heapOfBuild(PrintStream out) throws Exception {
      PinotRows source = new PinotRows(1);
      long before = LiveHeap.now();
      SegmentRows rows = table.newRows();
      for (int done = 0; done < SEGMENT_ROWS; done++) {
        rows.add(source.next());
      }
      long buffer = LiveHeap.now() - before;
      long most = LiveHeap.mostDuring(() -> build(rows, "orders_heap")) - before;
      out.printf(
          "    live heap: rows %.1f MB (%.1f MB by their own count), at most %.1f MB in a build: %s times%n",
          buffer / 1e6, rows.sizeBytes() / 1e6, most / 1e6, Target.text((double) most / buffer));
      return (double) most / buffer;
    }

    @Override
    public void close() throws Exception {
      theirs.close();
      FileUtils.deleteDirectory(work.toFile());
    }

    private static GenericRow[] slice(PinotRows source) {
      GenericRow[] slice = new GenericRow[SLICE_ROWS];
      for (int i = 0; i < slice.length; i++) {
        slice[i] = source.next();
      }
      return slice;
    }

    private long addTheirs(GenericRow[] slice) throws Exception {
      long start = THREADS.getCurrentThreadCpuTime();
      for (GenericRow row : slice) {
        theirs.add(row);
      }
      return THREADS.getCurrentThreadCpuTime() - start;
    }

    private static long addOurs(SegmentRows rows, GenericRow[] slice) throws Exception {
      long start = THREADS.getCurrentThreadCpuTime();
      for (GenericRow row : slice) {
        rows.add(row);
      }
      return THREADS.getCurrentThreadCpuTime() - start;
    }

    private long flushTheirs(String name) throws Exception {
      Files.deleteIfExists(
          theirTar.toPath().equals(work) ? work.resolve("none") : theirTar.toPath());
      long start = THREADS.getCurrentThreadCpuTime();
      theirTar = theirs.flush(name);
      return THREADS.getCurrentThreadCpuTime() - start;
    }

    private long buildOurs(SegmentRows rows, String name) throws Exception {
      long start = THREADS.getCurrentThreadCpuTime();
      BuiltSegment built = build(rows, name);
      long nanos = THREADS.getCurrentThreadCpuTime() - start;
      ourTar = built.tar();
      return nanos;
    }

    private BuiltSegment build(SegmentRows rows, String name) throws Exception {
      return builder.build(rows, new SegmentIdentity(name, 1, Map.of()), work);
    }
  }
}
