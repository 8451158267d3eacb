/** What a consumer asks, and the five answers. */
@NullMarked
package dev.tidemark.finalization.sensor;

import org.jspecify.annotations.NullMarked;
