import type { S3Config, TableConfig } from '@lakehouse-search/lake';

/** The lines of a definition that name its table. */
export function sourceLines(source: TableConfig): string[] {
  if ('path' in source) return [`  path: ${yamlScalar(source.path)}`, ...s3Lines(source.s3)];
  const entries = Object.entries(source.catalog).map(([key, value]) => `${key}: ${written(value)}`);
  return [`  catalog: { ${entries.join(', ')} }`, `  table: ${yamlScalar(source.table)}`];
}

const s3Lines = (s3: S3Config | undefined) => (s3 === undefined ? [] : [`  s3: ${written(s3)}`]);

function written(value: string | boolean | readonly string[] | S3Config): string {
  if (typeof value === 'string') return yamlScalar(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(yamlScalar).join(', ')}]`;
  const entries = Object.entries(value as S3Config).map(([key, v]) => `${key}: ${written(v)}`);
  return `{ ${entries.join(', ')} }`;
}

/** A YAML scalar: plain where it is plainly a string, else in JSON quotes. */
export function yamlScalar(text: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_.^-]*$/u.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : JSON.stringify(text);
}
