package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.StagedSegment.Times;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A segment as {@link SegmentBuilder} left it on the local disk. The files are the caller's to move
 * or remove.
 *
 * @param name the segment's name
 * @param crc as in its {@code creation.meta}
 * @param rows rows in it, positive
 * @param tar the whole segment
 * @param metadataTar a tar.gz of {@code metadata.properties} and {@code creation.meta}
 * @param tarBytes size of {@code tar}
 * @param times first and last value of the time column; null without one
 */
public record BuiltSegment(
    String name,
    long crc,
    long rows,
    Path tar,
    Path metadataTar,
    long tarBytes,
    @Nullable Times times) {}
