/** From a record of the user's to a Pinot row, and what becomes of records that cannot be one. */
@NullMarked
package dev.tidemark.pinot.row;

import org.jspecify.annotations.NullMarked;
