/** Rows as texts of a file. */
import type { Json } from '@lakehouse-search/contract';
import { valueText } from './values.ts';

/** A row: names and values, in the order of the columns. */
export type Row = readonly (readonly [name: string, value: Json])[];

/** CSV (RFC 4180) with a line of names; null is the empty value. */
export function csvOf(rows: readonly Row[]): string {
  const names = rows[0]?.map(([name]) => name) ?? [];
  const lines = rows.map((row) => row.map(([, value]) => (value === null ? '' : valueText(value))));
  return [names, ...lines].map((line) => `${line.map(csvValue).join(',')}\r\n`).join('');
}

/** A value of a spreadsheet is never a formula. */
function csvValue(text: string): string {
  const plain = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** One JSON object per line. */
export const ndjsonOf = (rows: readonly Row[]): string =>
  rows.map((row) => `${JSON.stringify(Object.fromEntries(row))}\n`).join('');
