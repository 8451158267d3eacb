package dev.tidemark.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.local.segment.creator.TransformPipeline;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.data.readers.RecordReader;
import org.apache.pinot.spi.data.readers.RecordReaderConfig;
import org.jspecify.annotations.Nullable;

/**
 * What the Flink connector that Pinot ships does with a row, step by step: all transforms, a record
 * in an Avro file; at a flush the two passes of Pinot's driver over that file, each with all
 * transforms again, and a tar.gz. Only columns of one value.
 */
final class ExistingConnectorPath implements AutoCloseable {
  private final TableConfig config;
  private final org.apache.pinot.spi.data.Schema schema;
  private final Path work;
  private final File buffer;
  private final TransformPipeline transforms;
  private final Schema avroSchema;
  private final GenericData.Record record;
  private DataFileWriter<GenericData.Record> writer;

  ExistingConnectorPath(TableConfig config, org.apache.pinot.spi.data.Schema schema)
      throws IOException {
    this.config = config;
    this.schema = schema;
    this.work = Files.createTempDirectory("existing-");
    this.buffer = work.resolve("buffer_file").toFile();
    this.transforms = new TransformPipeline(config, schema);
    this.avroSchema = avroSchema(schema);
    this.record = new GenericData.Record(avroSchema);
    this.writer = open();
  }

  void add(GenericRow row) throws IOException {
    for (GenericRow transformed : transforms.processRow(row).getTransformedRows()) {
      for (String column : schema.getColumnNames()) {
        record.put(column, transformed.getValue(column));
      }
      writer.append(record);
    }
  }

  /** Builds the segment of all rows since the last flush. */
  File flush(String segmentName) throws Exception {
    writer.close();
    Path output = Files.createTempDirectory(work, "flush-");
    SegmentGeneratorConfig generator = new SegmentGeneratorConfig(config, schema);
    generator.setInputFilePath(buffer.getPath());
    generator.setOutDir(output.toString());
    generator.setSegmentName(segmentName);
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(generator, new AvroFile(buffer, schema.getColumnNames()));
    driver.build();
    File tar = work.resolve(segmentName + ".tar.gz").toFile();
    TarCompressionUtils.createCompressedTarFile(driver.getOutputDirectory(), tar);
    FileUtils.deleteDirectory(output.toFile());
    writer = open();
    return tar;
  }

  @Override
  public void close() throws IOException {
    writer.close();
    FileUtils.deleteDirectory(work.toFile());
  }

  private DataFileWriter<GenericData.Record> open() throws IOException {
    FileUtils.deleteQuietly(buffer);
    DataFileWriter<GenericData.Record> opened =
        new DataFileWriter<>(new GenericDatumWriter<>(avroSchema));
    opened.create(avroSchema, buffer);
    return opened;
  }

  private static Schema avroSchema(org.apache.pinot.spi.data.Schema schema) {
    SchemaBuilder.FieldAssembler<Schema> fields = SchemaBuilder.record("record").fields();
    for (FieldSpec spec : schema.getAllFieldSpecs()) {
      SchemaBuilder.FieldTypeBuilder<Schema> field = fields.name(spec.getName()).type();
      fields =
          switch (spec.getDataType().getStoredType()) {
            case INT -> field.intType().noDefault();
            case LONG -> field.longType().noDefault();
            case FLOAT -> field.floatType().noDefault();
            case DOUBLE -> field.doubleType().noDefault();
            case STRING -> field.stringType().noDefault();
            default -> throw new IllegalArgumentException("Unsupported type: " + spec);
          };
    }
    return fields.endRecord();
  }

  /** Reads the Avro file as Pinot's reader of Avro does: text becomes a {@code String}. */
  private static final class AvroFile implements RecordReader {
    private final File file;
    private final Set<String> columns;
    private DataFileReader<GenericRecord> reader;
    private @Nullable GenericRecord reused;

    AvroFile(File file, Set<String> columns) throws IOException {
      this.file = file;
      this.columns = columns;
      this.reader = open();
    }

    @Override
    public void init(
        File data, @Nullable Set<String> fields, @Nullable RecordReaderConfig readerConfig) {}

    @Override
    public boolean hasNext() {
      return reader.hasNext();
    }

    @Override
    public GenericRow next(GenericRow row) throws IOException {
      GenericRecord read = reader.next(reused);
      reused = read;
      for (String column : columns) {
        Object value = read.get(column);
        row.putValue(column, value instanceof CharSequence ? value.toString() : value);
      }
      return row;
    }

    @Override
    public void rewind() throws IOException {
      reader.close();
      reader = open();
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }

    private DataFileReader<GenericRecord> open() throws IOException {
      return new DataFileReader<>(file, new GenericDatumReader<>());
    }
  }
}
