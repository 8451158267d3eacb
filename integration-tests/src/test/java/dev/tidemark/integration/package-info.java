/** What the tests of both sinks share beside the cluster. */
package dev.tidemark.integration;
