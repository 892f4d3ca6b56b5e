/**
 * Values of the `values` columns of a change batch (binary, decimals, lists, structs, maps,
 * variants) as JSON:
 *
 *     null, true, "text", 1.5     as they are
 *     {"float": "NaN"}            a number that JSON does not have: NaN, Infinity, -Infinity, -0
 *     {"int": "123"}              a whole number of 64 bits or more: decimals unscaled, timestamps
 *     {"base64": "AAE="}          bytes
 *     [value, ...]                a list
 *     {"struct": {"name": value}} a struct, by field name
 *     {"map": [[key, value]]}     a map, in its order
 *     {"variant": {"metadata": {"base64": ...}, "value": {"base64": ...}}}
 *                                 a variant in the encoding of its format
 */

import { LhsError } from '@lakehouse-search/contract';
import { decodeBytes } from '@lakehouse-search/contract/internal';
import { MapValue, type Value, VariantValue } from '@lakehouse-search/lake';
import { decodeVariant } from '@lakehouse-search/lake/variant';

const MOST_DEPTH = 100;
const FLOATS: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

/** The value of such JSON. Throws invalid_argument that names `field`. */
export function readWireValue(json: unknown, field: string): Value {
  return read(json, field, 0);
}

function read(json: unknown, field: string, depth: number): Value {
  if (depth > MOST_DEPTH) throw refused(field, 'is nested too deep');
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'number' && Number.isFinite(json)) return json;
  if (Array.isArray(json)) return json.map((item, i) => read(item, `${field}[${i}]`, depth + 1));
  if (typeof json !== 'object') throw refused(field, 'is no value');
  const [[tag, content] = [], ...more] = Object.entries(json);
  if (tag === undefined || more.length > 0) throw refused(field, 'needs exactly one tag');
  const readTag = Object.hasOwn(TAGS, tag) ? TAGS[tag] : undefined;
  if (readTag === undefined) {
    throw refused(field, `has the unknown tag "${tag.slice(0, 60)}"`);
  }
  return readTag(content, `${field}.${tag}`, depth + 1);
}

type ReadTag = (content: unknown, field: string, depth: number) => Value;
const TAGS: Readonly<Record<string, ReadTag>> = {
  float(content, field) {
    const value = FLOATS.get(content);
    if (value === undefined) throw refused(field, 'is no float');
    return value;
  },
  int(content, field) {
    if (typeof content === 'string' && /^-?\d{1,60}$/.test(content)) return BigInt(content);
    throw refused(field, 'is no string of digits');
  },
  base64: (content, field) => decodeBytes({ base64: content }, field),
  struct(content, field, depth) {
    const fields = entries(content, field);
    return Object.fromEntries(
      fields.map(([name, item]) => [name, read(item, `${field}.${name}`, depth)]),
    );
  },
  map(content, field, depth) {
    if (!Array.isArray(content)) throw refused(field, 'is no array of pairs');
    const pairs = content.map((pair: unknown, i): readonly [Value, Value] => {
      const at = `${field}[${i}]`;
      if (!Array.isArray(pair) || pair.length !== 2) throw refused(at, 'is no pair');
      return [read(pair[0], `${at}[0]`, depth), read(pair[1], `${at}[1]`, depth)];
    });
    return new MapValue(pairs);
  },
  variant(content, field) {
    const { metadata, value } = Object.fromEntries(entries(content, field));
    const bytes = [
      decodeBytes(metadata, `${field}.metadata`),
      decodeBytes(value, `${field}.value`),
    ];
    try {
      return new VariantValue(decodeVariant(bytes[0], bytes[1]));
    } catch (cause) {
      throw refused(field, `is no variant: ${(cause as Error).message}`, cause);
    }
  },
};

function entries(content: unknown, field: string): [string, unknown][] {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw refused(field, 'is no object');
  }
  return Object.entries(content);
}

function refused(field: string, why: string, cause?: unknown): LhsError {
  return new LhsError('invalid_argument', `"${field}" ${why}`, { cause });
}
