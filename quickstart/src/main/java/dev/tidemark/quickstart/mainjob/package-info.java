/**
 * The main job: real flights through MariaDB, Debezium, Kafka and Flink into an Iceberg ledger; and
 * with Pinot beside it.
 */
@NullMarked
package dev.tidemark.quickstart.mainjob;

import org.jspecify.annotations.NullMarked;
