package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergeProcessTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void classesAreFoundInAPathWithABlank() throws Exception {
    Path jar = directory.resolve("a driver.jar");
    assertThat(MergeProcess.file(new CodeSource(jar.toUri().toURL(), (Certificate[]) null)))
        .isEqualTo(jar);
  }

  @Test
  void everythingOnTheClassPathIsThere() throws Exception {
    Path dependency = Files.createFile(directory.resolve("a dependency.jar"));
    Files.createDirectories(directory.resolve("target/classes"));
    Files.writeString(directory.resolve("target/classpath.txt"), dependency + "\n");
    List<String> command =
        new MergeProcess(directory, "lake", Map.of())
            .command(directory, List.of(), "Program", List.of());
    String classPath = command.get(command.indexOf("-cp") + 1);
    assertThat(classPath.split(File.pathSeparator)).hasSize(3).allMatch(MergeProcessTest::exists);
  }

  private static boolean exists(String path) {
    return Files.exists(Path.of(path));
  }
}
