import { LIMITS } from '../base/limits.ts';

const DURATION = 18;
/** Bytes of an IPC message before its flatbuffer: a continuation marker and a length. */
const PREFIX_BYTES = 8;

/**
 * Paths of duration columns in the Arrow schema that writers store under `ARROW:schema` (base64 of
 * an IPC message, Message.fbs and Schema.fbs): Parquet itself has only their numbers. A text that
 * is no such schema has none.
 */
export function arrowDurations(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'base64');
  try {
    const tables = new Flatbuffer(bytes.subarray(PREFIX_BYTES));
    const schema = tables.tableAt(tables.root(), 2);
    return schema === null ? [] : durationsOf(tables, schema, 1, '', { fields: 0 });
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Searches the fields of a schema (member 1), or the children of a field (member 5). */
function durationsOf(
  tables: Flatbuffer,
  parent: number,
  member: 1 | 5,
  path: string,
  seen: { fields: number },
): readonly string[] {
  return tables.vectorAt(parent, member).flatMap((field) => {
    seen.fields++;
    if (seen.fields > LIMITS.parquetSchemaElements) throw new RangeError('too many fields');
    const name = tables.textAt(field, 0);
    const here = path === '' ? name : `${path}.${name}`;
    if (tables.byteAt(field, 2) === DURATION) return [here];
    return durationsOf(tables, field, 5, here, seen);
  });
}

/** Tables by their position in a flatbuffer. Positions outside of it throw a RangeError. */
class Flatbuffer {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  root(): number {
    return this.#follow(0);
  }

  byteAt(table: number, member: number): number {
    const at = this.#member(table, member);
    return at === null ? 0 : this.#bytes.readUInt8(at);
  }

  tableAt(table: number, member: number): number | null {
    const at = this.#member(table, member);
    return at === null ? null : this.#follow(at);
  }

  textAt(table: number, member: number): string {
    const start = this.tableAt(table, member);
    if (start === null) return '';
    const length = this.#bytes.readUInt32LE(start);
    return this.#bytes.toString('utf8', start + 4, start + 4 + length);
  }

  vectorAt(table: number, member: number): readonly number[] {
    const start = this.tableAt(table, member);
    if (start === null) return [];
    const length = this.#bytes.readUInt32LE(start);
    if (length > this.#bytes.length / 4) throw new RangeError('a vector is too long');
    return Array.from({ length }, (_, i) => this.#follow(start + 4 + 4 * i));
  }

  #follow(at: number): number {
    return at + this.#bytes.readUInt32LE(at);
  }

  /** The position of a member of a table, from the table's list of members. */
  #member(table: number, member: number): number | null {
    const members = table - this.#bytes.readInt32LE(table);
    const slot = 4 + 2 * member;
    if (slot + 2 > this.#bytes.readUInt16LE(members)) return null;
    const offset = this.#bytes.readUInt16LE(members + slot);
    return offset === 0 ? null : table + offset;
  }
}
