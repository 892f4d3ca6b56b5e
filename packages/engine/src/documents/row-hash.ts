/**
 * The row hash: 64 bits over a row's key and indexed source columns, equal for equal rows in every
 * process, batch and version of this format. It tells changed rows from unchanged ones; it is no
 * defence against chosen rows.
 *
 * It has two lanes of 32 bits (low, then high word). A column that is not NULL mixes
 *
 *     mix(field id)  mix(length of the value in bytes)  mix(word 0) … mix(word n)
 *
 * into both lanes, which start at their seeds; the words are the value's bytes, little-endian,
 * zero-padded to 4. Then the lanes are finished (bytes/two-lane-hash.ts). There are two ways from
 * columns to a row hash (schema/hash-set.ts):
 *
 * - `columns`: each column is hashed by itself, and each lane is the sum of the columns' lanes mod
 *   2^32. NULL adds 0. So a column can be added to a hash later.
 * - `whole` (format 1): all columns are mixed one after the other, in the order of their ids, into
 *   the same lanes, which are finished once.
 *
 * Bytes of a value: int, date, long, time, timestamps 8 (two's complement); float, double 8 (IEEE
 * 754, one NaN, -0 apart from 0); boolean 1; string, uuid UTF-8; every other type the UTF-8 of its
 * canonical text (`structureText`).
 */
import {
  type ColumnVector,
  MapValue,
  type Value,
  type VariantNode,
  VariantValue,
} from '@lakehouse-search/lake';
import { bytesView, finishLane, mixBytes, mixHigh, mixLow } from '../base/bytes/two-lane-hash.ts';
import { type HashSet, hashSetText } from '../schema/hash-set.ts';
import { decimalText } from '../schema/variant-terms.ts';
import { isNull } from './vectors/vector-values.ts';

/** A column to hash: its Iceberg field id and its values. */
export interface HashedColumn {
  readonly fieldId: number;
  readonly vector: ColumnVector;
}

const SEED_LOW = 0x6c687331;
const SEED_HIGH = 0x726f7731;
const encoder = new TextEncoder();
const scratch = new DataView(new ArrayBuffer(8));

/** The row hashes of a batch under any set of its columns; computed when they are first needed. */
export class RowHashes {
  /** The set of all columns that were read: what new documents are hashed over. */
  readonly set: HashSet;
  readonly #columns: readonly HashedColumn[];
  readonly #rows: number;
  readonly #known = new Map<string, BigUint64Array>();

  /** `columns` in any order. */
  constructor(columns: readonly HashedColumn[], rows: number) {
    this.#columns = columns.toSorted((a, b) => a.fieldId - b.fieldId);
    this.#rows = rows;
    this.set = { columns: this.#columns.map(({ fieldId }) => String(fieldId)) };
  }

  /** The hashes over all columns that were read. */
  get own(): BigUint64Array {
    return this.of(this.set)!;
  }

  /** The hashes under a set, or null if it has a column that was not read. */
  of(set: HashSet): BigUint64Array | null {
    const name = hashSetText(set);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const whole = this.#take(set.whole?.map(String) ?? []);
    const added = this.#take(set.columns);
    if (whole === null || added === null) return null;
    const hashes = new BigUint64Array(this.#rows);
    const lanes = new Int32Array(hashes.buffer);
    if (set.whole !== undefined) hashWhole(lanes, whole, this.#rows);
    const own = new Int32Array(lanes.length);
    for (const column of added) addColumn(lanes, column, this.#rows, own);
    this.#known.set(name, hashes);
    return hashes;
  }

  /** The columns with these identities, in the order of their ids, or null if one is missing. */
  #take(identities: readonly string[]): readonly HashedColumn[] | null {
    const wanted = new Set(identities);
    const found = this.#columns.filter(({ fieldId }) => wanted.has(String(fieldId)));
    return found.length === wanted.size ? found : null;
  }
}

/** One hash over all columns (`whole`), into zeroed lanes. */
function hashWhole(lanes: Int32Array, columns: readonly HashedColumn[], rows: number): void {
  for (let row = 0; row < rows; row++) {
    lanes[row * 2] = SEED_LOW;
    lanes[row * 2 + 1] = SEED_HIGH;
  }
  for (const { fieldId, vector } of columns) hashColumn(lanes, fieldId, vector, rows);
  for (let at = 0; at < lanes.length; at++) lanes[at] = finishLane(lanes[at]);
}

/**
 * Adds the hashes of one column, which are made in `lanes`. Only its values that are not NULL leave
 * the seeds.
 */
function addColumn(
  sums: Int32Array,
  { fieldId, vector }: HashedColumn,
  rows: number,
  lanes: Int32Array,
): void {
  for (let row = 0; row < rows; row++) {
    lanes[row * 2] = SEED_LOW;
    lanes[row * 2 + 1] = SEED_HIGH;
  }
  hashColumn(lanes, fieldId, vector, rows);
  for (let row = 0; row < rows; row++) {
    if (isNull(vector, row)) continue;
    sums[row * 2] += finishLane(lanes[row * 2]);
    sums[row * 2 + 1] += finishLane(lanes[row * 2 + 1]);
  }
}

function hashColumn(lanes: Int32Array, id: number, vector: ColumnVector, rows: number): void {
  if (vector.kind === 'utf8') hashTexts(lanes, id, vector, rows);
  else if (vector.kind === 'values') hashStructures(lanes, id, vector.values, rows);
  else hashFixed(lanes, id, vector, rows);
}

type FixedVector = Exclude<ColumnVector, { kind: 'utf8' } | { kind: 'values' }>;

function hashFixed(lanes: Int32Array, id: number, vector: FixedVector, rows: number): void {
  const { nulls } = vector;
  const length = vector.kind === 'bool' ? 1 : 8;
  for (let row = 0; row < rows; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    begin(lanes, row, id, length);
    const value = vector.values[row];
    if (typeof value === 'bigint') scratch.setBigInt64(0, value, true);
    else if (vector.kind === 'float64') {
      scratch.setFloat64(0, Number.isNaN(value) ? Number.NaN : value, true);
    } else {
      scratch.setInt32(0, value, true);
      scratch.setInt32(4, value >> 31, true);
    }
    mixWord(lanes, row, scratch.getInt32(0, true));
    if (length === 8) mixWord(lanes, row, scratch.getInt32(4, true));
  }
}

function hashTexts(
  lanes: Int32Array,
  id: number,
  vector: Extract<ColumnVector, { kind: 'utf8' }>,
  rows: number,
): void {
  const { nulls, offsets } = vector;
  const view = bytesView(vector.bytes);
  for (let row = 0; row < rows; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    begin(lanes, row, id, offsets[row + 1] - offsets[row]);
    mixBytes(lanes, row * 2, view, offsets[row], offsets[row + 1]);
  }
}

function hashStructures(
  lanes: Int32Array,
  id: number,
  values: readonly Value[],
  rows: number,
): void {
  for (let row = 0; row < rows; row++) {
    if (values[row] === null) continue;
    const bytes = encoder.encode(structureText(values[row]));
    begin(lanes, row, id, bytes.length);
    mixBytes(lanes, row * 2, bytesView(bytes), 0, bytes.length);
  }
}

function begin(lanes: Int32Array, row: number, id: number, length: number): void {
  mixWord(lanes, row, id);
  mixWord(lanes, row, length);
}

function mixWord(lanes: Int32Array, row: number, word: number): void {
  lanes[row * 2] = mixLow(lanes[row * 2], word);
  lanes[row * 2 + 1] = mixHigh(lanes[row * 2 + 1], word);
}

/**
 * A text that tells values of one type apart: lists and maps in brackets with their elements in
 * order, structs and variant objects with their names sorted, strings in JSON quotes, bytes in hex,
 * numbers in decimal. Variant leaves carry their kind, but integers and decimals of every width are
 * one kind: how a file packs them says nothing about the row.
 */
function structureText(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `[${value.map(structureText).join(',')}]`;
  if (value instanceof VariantValue) return `v${nodeText(value.node)}`;
  if (value instanceof MapValue) {
    const entries = value.entries.map(([k, v]) => `${structureText(k)}:${structureText(v)}`);
    return `(${entries.join(',')})`;
  }
  const fields = Object.entries(value as Readonly<Record<string, Value>>);
  return `{${fields.toSorted(byName).map(([k, v]) => `${JSON.stringify(k)}:${structureText(v)}`)}}`;
}

function nodeText(node: VariantNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'array':
      return `[${node.elements.map(nodeText).join(',')}]`;
    case 'object': {
      const fields = [...node.fields].toSorted(byName);
      return `{${fields.map(([k, v]) => `${JSON.stringify(k)}:${nodeText(v)}`).join(',')}}`;
    }
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return String(node.value);
    case 'decimal':
      return decimalText(node.unscaled, node.scale);
    case 'float':
    case 'double':
      return `f${structureText(node.value)}`;
    default:
      return `${node.kind}:${structureText(node.value)}`;
  }
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
