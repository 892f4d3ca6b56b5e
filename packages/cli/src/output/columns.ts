import { textOfJson } from '@lakehouse-search/contract/internal';

/**
 * The type of a column of printed rows. `json`: values without a plain type, as JSON text.
 */
export type ColumnKind = 'bool' | 'int' | 'long' | 'double' | 'text' | 'timestamp' | 'json';

/** A column of rows on their way out. `timestamp` values arrive as ISO-8601 texts. */
export interface OutputColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A row by column name, values in their JSON form (docs/command-line.md). */
export type OutputRow = Readonly<Record<string, unknown>>;

/** Takes rows one by one and writes them in some format. `end` finishes the file. */
export interface RowWriter {
  write(row: OutputRow): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Where bytes go; resolves when more may be written. */
export type ByteSink = (chunk: Uint8Array | string) => Promise<void>;

/** Standard output with back pressure. */
export const stdoutSink: ByteSink = (chunk) =>
  new Promise((resolve, reject) => {
    process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

/** Microseconds since 1970 of an ISO-8601 text with up to 9 digits; null for null. */
export function isoMicros(value: unknown): bigint | null {
  if (value === null || value === undefined) return null;
  const text = String(value);
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const zone = /(Z|[+-]\d\d:\d\d)$/.test(text) ? '' : 'Z';
  const seconds = Date.parse(text.replace(/\.\d+/, '') + zone);
  return BigInt(seconds) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6) || '0');
}

/** A value in its JSON form as typed formats hold it: longs and timestamps (µs) as bigints. */
export function typedValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'long':
      return BigInt(value as string | number | bigint);
    case 'double':
      return Number(value);
    case 'timestamp':
      return isoMicros(value);
    case 'json':
      return textOfJson(value);
    case 'text':
      return String(value);
    default:
      return value;
  }
}
