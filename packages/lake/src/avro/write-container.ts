import { createHash } from 'node:crypto';
import { formatJson } from '../base/json.ts';
import type { StructType, StructValue } from '../schema/type.ts';
import { avroRecord } from './avro-schema-json.ts';
import { compressBlock } from './codec.ts';
import { AvroSink, writeStruct } from './value-writer.ts';

/** How a container is written. */
export interface AvroWriteOptions {
  /** The name of the record type, e.g. `manifest_entry`. */
  readonly name: string;
  /** Key-value metadata of the header, beside avro.schema and avro.codec. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly codec?: 'null' | 'deflate';
}

/** Bytes of rows after which a block ends. */
const BLOCK_BYTES = 64 * 1024;
const MAGIC = Buffer.from('Obj\x01', 'latin1');

/**
 * An Avro object container file (layout: container.ts) with `rows` of `struct`, field ids in its
 * schema. Deterministic: the sync marker is a hash of the rows. Throws RangeError for a null in a
 * required field or a value that does not fit its type.
 */
export function encodeAvro(
  struct: StructType,
  rows: readonly StructValue[],
  options: AvroWriteOptions,
): Uint8Array {
  const codec = options.codec ?? 'deflate';
  const blocks = encodeBlocks(struct, rows);
  const hash = createHash('md5');
  for (const block of blocks) hash.update(block.bytes);
  const sync = hash.update(options.name).digest();
  const sink = new AvroSink();
  sink.raw(MAGIC);
  writeHeader(sink, {
    ...options.metadata,
    'avro.schema': formatJson(avroRecord(struct, options.name)),
    'avro.codec': codec,
  });
  sink.raw(sync);
  for (const { count, bytes } of blocks) {
    sink.long(count);
    sink.prefixed(compressBlock(codec, bytes));
    sink.raw(sync);
  }
  return sink.bytes();
}

function writeHeader(sink: AvroSink, metadata: Readonly<Record<string, string>>): void {
  const entries = Object.entries(metadata);
  sink.long(entries.length);
  for (const [key, value] of entries) {
    sink.prefixed(Buffer.from(key, 'utf8'));
    sink.prefixed(Buffer.from(value, 'utf8'));
  }
  sink.long(0);
}

function encodeBlocks(
  struct: StructType,
  rows: readonly StructValue[],
): readonly { count: number; bytes: Uint8Array }[] {
  const blocks: { count: number; bytes: Uint8Array }[] = [];
  let sink = new AvroSink();
  let count = 0;
  for (const row of rows) {
    writeStruct(sink, struct.fields, row);
    count++;
    if (sink.length >= BLOCK_BYTES) {
      blocks.push({ count, bytes: sink.bytes() });
      sink = new AvroSink();
      count = 0;
    }
  }
  if (count > 0) blocks.push({ count, bytes: sink.bytes() });
  return blocks;
}
