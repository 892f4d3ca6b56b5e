import { LakeError, type LakeErrorCode } from '../base/errors.ts';
import { type JsonValue, parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import type { NameMapping } from '../schema/name-mapping.ts';
import type { StructType, Value, VariantValue } from '../schema/type.ts';
import { type AvroType, parseAvroSchema } from './avro-schema.ts';
import { type AvroCodec, decompressBlock, isAvroCodec } from './codec.ts';
import { AvroCursor } from './cursor.ts';
import { compileRows } from './value-reader.ts';

/**
 * Avro object container files (Avro 1.11 specification, "Object Container Files"):
 *
 *   "Obj" 0x01 | metadata: map of bytes | sync: 16 bytes | blocks
 *   block = row count: long | byte length: long | bytes, compressed by avro.codec | sync: 16 bytes
 */
export interface AvroFile {
  readonly file: string;
  /** The key-value metadata of the header, as text. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly schema: AvroType;
  readonly codec: AvroCodec;
}

interface OpenAvroFile extends AvroFile {
  readonly cursor: AvroCursor;
  readonly sync: Uint8Array;
}

/** What the rows of an Avro file are read as. */
export interface AvroReadOptions {
  /**
   * The code of errors about this file: manifest_invalid, data_file_invalid, delete_file_invalid.
   */
  readonly code: LakeErrorCode;
  readonly variant?: (metadata: Uint8Array, value: Uint8Array) => VariantValue;
  readonly nameMapping?: NameMapping | null;
  /** Is set to the bytes of each row. */
  readonly weight?: { bytes: number };
}

/** What an item of an array or map weighs beside its bytes. */
const ITEM_BYTES = 16;

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;

function readMetadata(cursor: AvroCursor): Map<string, string> {
  const metadata = new Map<string, string>();
  for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
    for (let i = 0; i < count; i++) {
      const key = cursor.string();
      metadata.set(key, cursor.string());
    }
    if (cursor.at > LIMITS.avroHeaderBytes) cursor.fail('its header is too long');
  }
  return metadata;
}

function parseHeaderJson(text: string | undefined, cursor: AvroCursor): JsonValue {
  if (text === undefined) return cursor.fail('its header has no avro.schema');
  try {
    return parseJson(text);
  } catch {
    return cursor.fail('its avro.schema is not JSON');
  }
}

/**
 * Reads the header of a container. Throws `code` if it is none, or its codec or schema cannot
 * be read.
 */
export function openAvro(bytes: Uint8Array, file: string, code: LakeErrorCode): AvroFile {
  const cursor = new AvroCursor(bytes, file, code);
  if (bytes.length < 4 || MAGIC.compare(cursor.raw(4)) !== 0) {
    cursor.fail('it does not begin with the magic bytes "Obj\\x01"');
  }
  const metadata = readMetadata(cursor);
  const codec = metadata.get('avro.codec') ?? 'null';
  if (!isAvroCodec(codec)) {
    return cursor.fail(`its codec is "${codec}"; null, deflate, zstandard and snappy are read`);
  }
  const json = parseHeaderJson(metadata.get('avro.schema'), cursor);
  const schema = parseAvroSchema(new JsonNode(json, 'avro.schema', file, code));
  const sync = new Uint8Array(cursor.raw(SYNC_BYTES));
  const opened: OpenAvroFile = { file, metadata, schema, codec, cursor, sync };
  return opened;
}

function* blocks(opened: OpenAvroFile): Generator<{ rows: number; cursor: AvroCursor }> {
  const { cursor, sync, codec, file } = opened;
  while (cursor.remaining > 0) {
    const rows = cursor.int();
    const stored = cursor.raw(cursor.int());
    if (Buffer.compare(cursor.raw(SYNC_BYTES), sync) !== 0) {
      cursor.fail('the sync marker after a block is wrong');
    }
    const block = new AvroCursor(decompress(codec, stored, cursor), file, cursor.code);
    if (rows < 0 || (rows > block.end && rows > LIMITS.avroEmptyItems)) {
      cursor.fail(`a block of ${block.end} bytes claims ${rows} rows`);
    }
    yield { rows, cursor: block };
  }
}

function decompress(codec: AvroCodec, stored: Uint8Array, cursor: AvroCursor): Uint8Array {
  try {
    return decompressBlock(codec, stored);
  } catch (error) {
    return cursor.fail(`a ${codec} block cannot be decompressed (${(error as Error).message})`);
  }
}

/**
 * The rows of an opened file as values of `struct`, in file order, by field id. The file must come
 * from `openAvro` and is read once. Throws the options' code on damage.
 */
export function* avroRows(
  file: AvroFile,
  struct: StructType,
  options: AvroReadOptions,
): Generator<Record<string, Value>> {
  const opened = file as OpenAvroFile;
  const { weight } = options;
  const read = compileRows(opened.schema, struct, { ...options, file: opened.file });
  for (const { rows, cursor } of blocks(opened)) {
    for (let i = 0; i < rows; i++) {
      const [at, items] = [cursor.at, cursor.items];
      const row = read(cursor);
      const bytes = cursor.at - at + (cursor.items - items) * ITEM_BYTES;
      if (bytes > LIMITS.rowBytes) throw rowTooLarge(opened.file, bytes);
      if (weight !== undefined) weight.bytes = bytes;
      yield row;
    }
    if (cursor.remaining !== 0) cursor.fail('a block has bytes after its last row');
  }
}

function rowTooLarge(file: string, bytes: number): LakeError {
  const what = `a row of ${bytes} bytes, more than ${LIMITS.rowBytes}`;
  return new LakeError('limit_exceeded', `avro file "${file}" has ${what}`, { file });
}

/**
 * `openAvro` and `avroRows` in one: the rows of an Avro data, delete or manifest file held in
 * memory.
 */
export function readAvroRows(
  bytes: Uint8Array,
  file: string,
  struct: StructType,
  options: AvroReadOptions,
): Generator<Record<string, Value>> {
  return avroRows(openAvro(bytes, file, options.code), struct, options);
}
