/**
 * Why a watermark stands where it stands: who is responsible, since when, and what would move it.
 */
@NullMarked
package dev.tidemark.cli.explain;

import org.jspecify.annotations.NullMarked;
