/** What a Kafka source has delivered, where its partitions end, and what heartbeats vouch for. */
@NullMarked
package dev.tidemark.pipeline.coverage;

import org.jspecify.annotations.NullMarked;
