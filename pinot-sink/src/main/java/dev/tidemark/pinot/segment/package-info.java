/** From rows to a staged segment: column buffers, the build, names, tars. Free of Flink. */
@NullMarked
package dev.tidemark.pinot.segment;

import org.jspecify.annotations.NullMarked;
