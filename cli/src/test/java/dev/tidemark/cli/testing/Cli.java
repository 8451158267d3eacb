package dev.tidemark.cli.testing;

import dev.tidemark.cli.Tidemark;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * One run of the command line, as a user would start it, in this JVM.
 *
 * @param status its exit status
 * @param out what it printed
 * @param err what it complained of
 */
public record Cli(int status, String out, String err) {
  /** Runs a command; catalog {@code lake} is the HadoopCatalog in the directory. */
  public static Cli run(Path directory, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("-clake.type=hadoop");
    all.add("-clake.warehouse=" + directory.toUri());
    return run(all);
  }

  /** Runs a command with these arguments alone. */
  public static Cli run(List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Tidemark.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int status = Tidemark.run(commandLine, arguments.toArray(new String[0]));
    return new Cli(status, out.toString(), err.toString());
  }
}
