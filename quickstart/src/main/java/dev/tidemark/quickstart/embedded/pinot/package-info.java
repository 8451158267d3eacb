/**
 * A real Pinot inside this JVM: ZooKeeper, controller and broker as they are released, and servers
 * put together from the parts of {@code pinot-core}, since {@code pinot-server} is not served by
 * Maven Central. Beside it, what tests and programs need to work with any Pinot: tables and queries
 * by the address of its controller.
 *
 * <p>What the servers lack: the admin API of a server (consuming segments' info, segment reload
 * status, sizes), the multi-stage query engine, minions.
 */
@NullMarked
package dev.tidemark.quickstart.embedded.pinot;

import org.jspecify.annotations.NullMarked;
