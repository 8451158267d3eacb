/** The HTTP client for Pinot's controller and broker. Free of Flink. */
@NullMarked
package dev.tidemark.pinot.controller;

import org.jspecify.annotations.NullMarked;
