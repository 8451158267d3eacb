/**
 * Event-time facts: reading a record's event time, counting it, and the sketch that a commit
 * carries.
 */
@NullMarked
package dev.tidemark.finalization.eventtime;

import org.jspecify.annotations.NullMarked;
