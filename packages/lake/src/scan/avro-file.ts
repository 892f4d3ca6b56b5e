import { type AvroFile, avroRows, openAvro } from '../avro/container.ts';
import type { LakeErrorCode } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { withoutFieldIds } from '../base/without-field-ids.ts';
import { mappedField, type NameMapping } from '../schema/name-mapping.ts';
import { type Field, type StructType, type Value, VariantValue } from '../schema/type.ts';
import { decodeVariant } from '../variant/decode.ts';
import type { FileRows, OpenFile } from './file-rows.ts';
import { vectorOf } from './vectors.ts';

const CHUNK_ROWS = 2048;

/**
 * Opens an Avro data or delete file that is held in memory. `code` is that of errors about its
 * bytes.
 */
export function openAvroFile(
  bytes: Uint8Array,
  path: string,
  code: LakeErrorCode,
  nameMapping: NameMapping | null,
): OpenFile {
  const file = openAvro(bytes, path, code);
  const ids = topLevelIds(file, nameMapping);
  if (ids.size === 0 && nameMapping === null && !isEmptyRecord(file))
    throw withoutFieldIds('avro', path);
  return {
    rowCount: null,
    has: (fieldId) => ids.has(fieldId),
    read: (fields) => readRows(openAvro(bytes, path, code), fields, code, nameMapping),
  };
}

const isEmptyRecord = ({ schema }: AvroFile) =>
  schema.kind === 'record' && schema.fields.length === 0;

function topLevelIds(file: AvroFile, nameMapping: NameMapping | null): ReadonlySet<number> {
  const fields = file.schema.kind === 'record' ? file.schema.fields : [];
  const ids = fields.map(
    (field) =>
      field.fieldId ?? (nameMapping && mappedField(nameMapping, field.name)?.fieldId) ?? null,
  );
  return new Set(ids.filter((id) => id !== null));
}

async function* readRows(
  file: AvroFile,
  fields: readonly Field[],
  code: LakeErrorCode,
  nameMapping: NameMapping | null,
): AsyncGenerator<FileRows> {
  const struct: StructType = {
    kind: 'struct',
    fields: fields.map((field, i) => ({ ...field, name: `c${i}` })),
  };
  const variant = (metadata: Uint8Array, value: Uint8Array) =>
    new VariantValue(decodeVariant(metadata, value, file.file));
  let columns: Value[][] = fields.map(() => []);
  const weight = { bytes: 0 };
  let [firstRow, rows, bytes] = [0, 0, 0];
  const take = (): FileRows => {
    const vectors = columns.map((values, i) => vectorOf(fields[i].type, values));
    return { firstRow, rows, columns: vectors };
  };
  for (const row of avroRows(file, struct, { code, variant, nameMapping, weight })) {
    if (rows === CHUNK_ROWS || (rows > 0 && bytes + weight.bytes > LIMITS.batchBytes)) {
      yield take();
      columns = fields.map(() => []);
      [firstRow, rows, bytes] = [firstRow + rows, 0, 0];
    }
    for (let i = 0; i < columns.length; i++) columns[i].push(row[`c${i}`]);
    rows++;
    bytes += weight.bytes;
  }
  if (rows > 0) yield take();
}
