package dev.tidemark.cli.command;

import picocli.CommandLine.Command;

/** The registered writers of a table. */
@Command(
    name = "writers",
    description = "The registered writers of a table, whose least is the table's watermark.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ListWritersCommand.class, RetireWriterCommand.class})
public final class WritersCommand {}
