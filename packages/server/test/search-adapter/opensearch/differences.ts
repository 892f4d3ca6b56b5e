/** Differences from OpenSearch that the page of the adapter lists, by their names there. */
import { isDeepStrictEqual } from 'node:util';
import type { Body } from '../adapter-calls.ts';
import type { PeerRequest } from './fixed-requests.ts';

/** The parts of two answers, and the request as a text. */
interface Pair {
  readonly text: string;
  readonly adapter: Body;
  readonly opensearch: Body;
}

/** Values that OpenSearch shows in a sort for documents without one. */
const MISSING: ReadonlySet<unknown> = new Set([
  ...['Infinity', '-Infinity', 2_147_483_647, -2_147_483_648],
  ...[9_223_372_036_850_000_000, -9_223_372_036_850_000_000],
]);

const mapped = (json: Body, change: (value: Body) => Body): Body => {
  if (Array.isArray(json)) return json.map((one) => mapped(one, change));
  if (typeof json !== 'object' || json === null) return change(json);
  const entries = Object.entries(json).map(([name, value]) => [name, mapped(value, change)]);
  return Object.fromEntries(entries);
};
const toMillis = (value: Body): Body =>
  typeof value === 'string' ? value.replace(/(\.\d{3})\d{3}Z$/, '$1Z') : value;
const toNumber = (value: Body): Body =>
  typeof value === 'string' && /^-?\d{16,}$/.test(value)
    ? Number(Number(value).toPrecision(12))
    : value;
const toNull = (value: Body): Body => (MISSING.has(value) ? null : value);

const DIFFERENCES: Readonly<Record<string, (pair: Pair) => boolean>> = {
  'sort-missing': ({ adapter, opensearch: { sorts, ...others } }) =>
    isDeepStrictEqual(adapter, { ...others, sorts: mapped(sorts, toNull) }),
  microseconds: ({ adapter, opensearch }) =>
    isDeepStrictEqual(mapped(adapter, toMillis), opensearch),
  'large-integers': ({ adapter, opensearch }) =>
    isDeepStrictEqual(mapped(adapter, toNumber), mapped(opensearch, toNumber)),
  'range-fractions': ({ text }) => /"range":\{"field":"n","ranges":.*10\.5/.test(text),
  'histogram-offset': ({ text, adapter }) =>
    adapter.status === 400 && /"histogram":\{"field":"n",.*"offset"/.test(text),
  'wordless-text': ({ text }) => /exists.{0,12}(title|body|\*)/.test(text),
  'sort-format': ({ text, opensearch }) =>
    opensearch.status === 400 && /"sort":.*"format"/.test(text),
};

/** The name of the difference between two answers; undefined: they must not differ. */
export function differenceOf(
  { body }: PeerRequest,
  adapter: Body,
  opensearch: Body,
): string | undefined {
  const pair = { text: JSON.stringify(body), adapter, opensearch };
  return Object.keys(DIFFERENCES).find((name) => DIFFERENCES[name]!(pair));
}

/** All names. */
export const NAMES: readonly string[] = Object.keys(DIFFERENCES);
