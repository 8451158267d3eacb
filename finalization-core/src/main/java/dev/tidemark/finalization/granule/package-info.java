/** Granules: the half-open slices of time that become final one after the other. */
@NullMarked
package dev.tidemark.finalization.granule;

import org.jspecify.annotations.NullMarked;
