/** A Kafka record as bytes with its coordinates, tombstones included. */
@NullMarked
package dev.tidemark.pipeline.kafka;

import org.jspecify.annotations.NullMarked;
