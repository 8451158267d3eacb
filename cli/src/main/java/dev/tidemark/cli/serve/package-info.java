/**
 * {@code tidemark serve}: finality over HTTP and one page. One poller per table reads the store;
 * every request is answered from what it read last, so clients cost the store nothing. Read-only.
 */
@NullMarked
package dev.tidemark.cli.serve;

import org.jspecify.annotations.NullMarked;
