package dev.tidemark.cli.explain;

import java.util.List;

/**
 * What is behind one hold.
 *
 * @param why in one or two sentences
 * @param responsible who
 * @param moves what would move the watermark
 */
record Cause(String why, List<Responsible> responsible, List<String> moves) {}
