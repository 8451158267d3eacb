/** Kafka change topics become the streams that fill a ledger. */
@NullMarked
package dev.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
