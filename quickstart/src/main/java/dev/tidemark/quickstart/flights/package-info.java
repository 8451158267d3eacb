/** The real flights that the programs work on, and what happens to them. */
@NullMarked
package dev.tidemark.quickstart.flights;

import org.jspecify.annotations.NullMarked;
