package dev.tidemark.finalization.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteReaderTest {
  private static final String SUBJECT = "the subject of this test";

  @Test
  void readsWhatWasWritten() {
    Random random = Seeds.random("ByteReader round trip");
    for (int round = 0; round < 2_000; round++) {
      long value = random.nextLong() >> random.nextInt(64);
      byte[] bytes = new byte[random.nextInt(700)];
      random.nextBytes(bytes);
      ByteReader in =
          new ByteReader(
              SUBJECT,
              new ByteWriter()
                  .writeUnsigned(value)
                  .writeByte(round)
                  .writeSigned(value)
                  .writeBytes(bytes)
                  .writeString("Zürich " + round)
                  .toByteArray());

      assertThat(in.readUnsigned()).isEqualTo(value);
      assertThat(in.readByte()).isEqualTo(round & 0xFF);
      assertThat(in.readSigned()).isEqualTo(value);
      assertThat(in.readBytes()).isEqualTo(bytes);
      assertThat(in.readString()).isEqualTo("Zürich " + round);
      in.expectEnd();
    }
  }

  @Test
  void smallNumbersTakeOneByte() {
    assertThat(new ByteWriter().writeUnsigned(127).toByteArray()).containsExactly(127);
    assertThat(new ByteWriter().writeUnsigned(128).toByteArray()).containsExactly(-128, 1);
    assertThat(new ByteWriter().writeSigned(-64).toByteArray()).containsExactly(127);
    assertThat(new ByteWriter().writeSigned(63).toByteArray()).containsExactly(126);
    assertThat(new ByteWriter().writeUnsigned(-1).toByteArray()).hasSize(10);
  }

  @Test
  void everyTruncationNamesTheSubjectAndThePlace() {
    byte[] bytes = new ByteWriter().writeUnsigned(1L << 40).writeString("text").toByteArray();
    for (int length = 0; length < bytes.length; length++) {
      ByteReader in = new ByteReader(SUBJECT, Arrays.copyOf(bytes, length));
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> {
                in.readUnsigned();
                in.readString();
              })
          .withMessageContaining("Cannot read " + SUBJECT + " at byte ")
          .withMessageContaining(" of " + length);
    }
  }

  @Test
  void refusesWhatIsLeftOver() {
    ByteReader in = new ByteReader(SUBJECT, new byte[] {1, 2, 3});
    in.readByte();

    assertThatIllegalArgumentException()
        .isThrownBy(in::expectEnd)
        .withMessage("Cannot read " + SUBJECT + " at byte 1 of 3: 2 bytes are left over");
  }

  @Test
  void refusesAVersionThatItDoesNotKnow() {
    for (int version : new int[] {0, 3, 255}) {
      ByteReader in = new ByteReader(SUBJECT, new byte[] {(byte) version});
      assertThatIllegalArgumentException()
          .isThrownBy(() -> in.readVersion(2))
          .withMessageContaining("version " + version + " (expected: 1 to 2)");
    }
    assertThat(new ByteReader(SUBJECT, new byte[] {2}).readVersion(2)).isEqualTo(2);
  }

  @Test
  void refusesALengthThatIsNotThere() {
    for (long length : new long[] {4, Integer.MAX_VALUE, 1L << 40, -1}) {
      byte[] bytes = new ByteWriter().writeUnsigned(length).writeByte(7).toByteArray();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new ByteReader(SUBJECT, bytes).readBytes())
          .withMessageContaining("count " + length + " with 1 bytes left");
    }
  }

  @Test
  void refusesAnIntegerWithoutAnEnd() {
    byte[] bytes = new byte[20];
    Arrays.fill(bytes, (byte) 0x80);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ByteReader(SUBJECT, bytes).readUnsigned())
        .withMessageContaining("longer than ten bytes");
  }

  @Test
  void refusesTextThatIsNotBase64() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ByteReader.ofText(SUBJECT, "a b"))
        .withMessage("Cannot read " + SUBJECT + ": not URL-safe Base64: a b");
  }
}
