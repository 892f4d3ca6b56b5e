import { readFile } from 'node:fs/promises';
import type { AvroField, AvroLogicalType, AvroType } from '../../avro/avro-schema.ts';
import { avroRows, openAvro } from '../../avro/container.ts';
import { LakeError } from '../../base/errors.ts';
import type { MappedField, NameMapping } from '../../schema/name-mapping.ts';
import type { Field, StructType, Type } from '../../schema/type.ts';
import type { InputFile } from '../input/input-files.ts';
import { rowLine, type TypedLines } from './typed-rows.ts';

/** Opens an Avro file. Throws invalid_argument if it is damaged, unsupported for a type. */
export async function avroLines(file: InputFile): Promise<TypedLines> {
  const opened = openAvro(await readFile(file.path), file.path, 'invalid_argument');
  if (opened.schema.kind !== 'record') throw unread(file, 'a row', opened.schema.kind);
  const { type, mapping } = new Numbered(file).struct(opened.schema.fields);
  const rows = avroRows(opened, type, { code: 'invalid_argument', nameMapping: mapping });
  return { type, lines: rows.map((row) => rowLine(type, row)) };
}

function unread({ shown, path }: InputFile, column: string, kind: string): LakeError {
  const message = `${column} of ${shown} has the avro type ${kind}, which tables do not have`;
  return new LakeError('unsupported', message, { file: path });
}

interface NumberedType {
  readonly type: Type;
  readonly mapping: NameMapping;
}

/** Table types of Avro types, with ids, and the names by which the reader finds the ids. */
class Numbered {
  readonly #file: InputFile;
  #last = 0;

  constructor(file: InputFile) {
    this.#file = file;
  }

  struct(columns: readonly AvroField[]): { type: StructType; mapping: NameMapping } {
    const fields: Field[] = [];
    const mapping: MappedField[] = [];
    for (const { name, fieldId, type } of columns) {
      const id = fieldId ?? 1_000_000 + this.#last++;
      const found = this.#typeOf(type, name);
      fields.push({ id, name, required: false, type: found.type });
      mapping.push({ fieldId: id, names: [name], fields: found.mapping });
    }
    return { type: { kind: 'struct', fields }, mapping };
  }

  #typeOf(avro: AvroType, column: string): NumberedType {
    const plain = plainType(avro);
    if (plain !== null) return { type: plain, mapping: [] };
    switch (avro.kind) {
      case 'union': {
        const [first, ...rest] = avro.branches.filter(({ kind }) => kind !== 'null');
        if (first === undefined) return { type: { kind: 'string' }, mapping: [] };
        if (rest.length > 0) throw unread(this.#file, `column "${column}"`, 'union');
        return this.#typeOf(first, column);
      }
      case 'record':
        return this.struct(avro.fields);
      case 'array': {
        const { type, mapping } = this.#typeOf(avro.items, column);
        return {
          type: { kind: 'list', elementId: 0, elementRequired: false, element: type },
          mapping: [{ fieldId: null, names: ['element'], fields: mapping }],
        };
      }
      case 'map': {
        const { type: value, mapping } = this.#typeOf(avro.values, column);
        const key: Type = { kind: 'string' };
        return {
          type: { kind: 'map', keyId: 0, key, valueId: 0, valueRequired: false, value },
          mapping: [{ fieldId: null, names: ['value'], fields: mapping }],
        };
      }
      default:
        throw unread(this.#file, `column "${column}"`, avro.kind);
    }
  }
}

function plainType(avro: AvroType): Type | null {
  switch (avro.kind) {
    case 'boolean':
    case 'float':
    case 'double':
    case 'string':
      return { kind: avro.kind };
    case 'null':
    case 'enum':
      return { kind: 'string' };
    case 'int':
      if (avro.logical?.name === 'time-millis') return { kind: 'time' };
      return { kind: avro.logical?.name === 'date' ? 'date' : 'int' };
    case 'long':
      return longType(avro.logical);
    case 'bytes':
    case 'fixed':
      if (avro.logical?.name === 'decimal') {
        const { precision, scale } = avro.logical;
        return { kind: 'decimal', precision: precision ?? 38, scale };
      }
      return { kind: avro.kind === 'fixed' && avro.logical?.name === 'uuid' ? 'uuid' : 'binary' };
    default:
      return null;
  }
}

/** Timestamps are instants, unless they are local or say that they are. */
function longType(logical: AvroLogicalType | null): Type {
  const [, local, unit] =
    /^(local-)?timestamp-(millis|micros|nanos)$/.exec(logical?.name ?? '') ?? [];
  if (logical?.name === 'time-micros') return { kind: 'time' };
  if (unit === undefined) return { kind: 'long' };
  const isLocal = local !== undefined || logical?.adjustToUtc === false;
  const kind = isLocal ? 'timestamp' : 'timestamptz';
  return { kind: unit === 'nanos' ? `${kind}_ns` : kind };
}
