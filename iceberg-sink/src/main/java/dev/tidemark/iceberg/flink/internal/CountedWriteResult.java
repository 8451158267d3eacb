package dev.tidemark.iceberg.flink.internal;

import java.util.Map;
import org.apache.iceberg.io.WriteResult;

/**
 * What one writer hands over before a checkpoint.
 *
 * @param files the files that the stock writer closed
 * @param counted what the accumulators counted over the same records: name to versioned bytes
 */
record CountedWriteResult(WriteResult files, Map<String, byte[]> counted) {}
