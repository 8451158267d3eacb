/**
 * The parts that a change-data pipeline needs around it, real and inside one JVM: a MariaDB server,
 * a Kafka broker and a Debezium engine between them. For programs that run on a laptop and for
 * tests; nothing here is meant to keep data beyond its process.
 */
@NullMarked
package dev.tidemark.quickstart.embedded;

import org.jspecify.annotations.NullMarked;
