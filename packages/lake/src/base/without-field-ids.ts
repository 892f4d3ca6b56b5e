import { LakeError } from './errors.ts';

/** The error for a file whose columns nothing relates to those of the table. */
export function withoutFieldIds(format: 'parquet' | 'avro', path: string): LakeError {
  return new LakeError(
    'unsupported',
    `${format} file "${path}" has no field ids and the table has no name mapping, which is not ` +
      'supported; set the table property "schema.name-mapping.default" or rewrite the file',
    { file: path },
  );
}
