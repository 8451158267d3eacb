package dev.tidemark.spark.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which types of a source a base table may have in others. */
class TypeFitTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INT            | TINYINT, SMALLINT, INT, BIGINT, DECIMAL(10,0), VOID
          BIGINT         | TINYINT, SMALLINT, INT, BIGINT, DECIMAL(20,0)
          FLOAT          | TINYINT, SMALLINT, FLOAT, DECIMAL(6,4)
          DOUBLE         | TINYINT, SMALLINT, INT, FLOAT, DOUBLE, DECIMAL(15,5)
          DECIMAL(20,0)  | TINYINT, SMALLINT, INT, BIGINT, DECIMAL(20,0), DECIMAL(18,0)
          DECIMAL(12,2)  | INT, BIGINT, DECIMAL(12,2), DECIMAL(20,1), DECIMAL(10,0)
          BOOLEAN        | BOOLEAN
          DATE           | DATE
          TIMESTAMP      | TIMESTAMP, TIMESTAMP_NTZ, DATE
          TIMESTAMP_NTZ  | TIMESTAMP, TIMESTAMP_NTZ, DATE
          STRING         | STRING, CHAR(3), VARCHAR(9), BIGINT, DECIMAL(12,2), DATE, BOOLEAN
          BINARY         | BINARY
          """)
  void castKeepsAll(String to, String from) {
    for (DataType type : types(from)) {
      assertThat(TypeFit.isExact(type, type(to))).as("%s as %s", type, to).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INT            | FLOAT, DOUBLE, DECIMAL(9,1), STRING, BOOLEAN
          BIGINT         | FLOAT, DOUBLE, DECIMAL(18,1), TIMESTAMP, STRING
          FLOAT          | INT, BIGINT, DOUBLE, DECIMAL(7,0), STRING
          DOUBLE         | BIGINT, DECIMAL(16,0), STRING
          DECIMAL(18,0)  | DECIMAL(18,1), DOUBLE, STRING
          DECIMAL(11,2)  | DECIMAL(11,3), FLOAT
          BOOLEAN        | TINYINT, STRING
          DATE           | TIMESTAMP, TIMESTAMP_NTZ, STRING
          TIMESTAMP      | BIGINT, STRING
          TIMESTAMP_NTZ  | BIGINT, VARCHAR(30)
          STRING         | BINARY
          BINARY         | STRING
          """)
  void castWouldLoseSomething(String to, String from) {
    for (DataType type : types(from)) {
      assertThat(TypeFit.isExact(type, type(to))).as("%s as %s", type, to).isFalse();
    }
  }

  private static DataType[] types(String names) {
    return Arrays.stream(names.split(", ")).map(TypeFitTest::type).toArray(DataType[]::new);
  }

  private static DataType type(String name) {
    return new CatalystSqlParser().parseDataType(name.strip());
  }
}
