/**
 * What a change of one source row is: its operation, its images, its place in the total order of
 * the source. Immutable values; knows no wire format.
 */
@NullMarked
package dev.tidemark.pipeline.event;

import org.jspecify.annotations.NullMarked;
