/** Values of documents and rows as texts. */
import type { Coordinates, FieldDescription, Json } from '@lakehouse-search/contract';
import { visible } from './visible.ts';
import { instantIn } from './zone.ts';

/** A value as one text: strings as they are, all others as JSON. */
export const valueText = (value: Json): string =>
  typeof value === 'string' ? value : Object.is(value, -0) ? '-0' : JSON.stringify(value);

/** Names and values of a key, as a URL holds them: partition first. */
export type KeyParts = readonly (readonly [name: string, value: string])[];

/** The parts of a key. */
export const keyParts = ({ partition = [], identifier }: Coordinates): KeyParts =>
  [...partition, ...identifier].map(({ name, value }) => [name, value] as const);

/** A key as `--key` of the command line takes it: `id=4217`. */
export const keyText = (parts: KeyParts): string =>
  parts.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join(',');

const escaped = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

/** The coordinates of a key. `partition`: names of the columns that are its partition. */
export function coordinatesOf(parts: KeyParts, partition: readonly string[]): Coordinates {
  const named = parts.map(([name, value]) => ({ name, value }));
  const identifier = named.filter(({ name }) => !partition.includes(name));
  if (identifier.length === named.length) return { identifier };
  return { partition: named.filter(({ name }) => partition.includes(name)), identifier };
}

/** A cached value in the small line of a hit, behind its name: times to the minute. */
export function shortValue({ name, type }: FieldDescription, value: Json): string {
  if (Array.isArray(value)) return `${name} ${value.map(valueText).join(', ')}`;
  const text = visible(valueText(value));
  return `${name} ${type === 'DATE' ? instantText(text).slice(0, 16) : text}`;
}

/**
 * `2025-11-03T14:22:10.000000Z` -> `2025-11-03 14:22:10` in the zone in force; times without a zone
 * and other texts stay as they are.
 */
export function instantText(text: string): string {
  const [, day, time, fraction = '', utc] =
    /^(\d{4,6}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  const rest = fraction.replace(/\.?0+$/, '');
  const at = utc === undefined ? undefined : new Date(`${day}T${time}Z`);
  const isYear = at !== undefined && !Number.isNaN(at.getTime()) && at.getUTCFullYear() < 10_000;
  return `${isYear ? instantIn(at) : `${day} ${time}`}${rest}`;
}
