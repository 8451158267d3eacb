package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;

/**
 * A table as hooks see it.
 *
 * @param table which one
 * @param controller asks its controller and brokers
 */
public record PinotTableHandle(PinotTable table, ControllerClient controller) {}
