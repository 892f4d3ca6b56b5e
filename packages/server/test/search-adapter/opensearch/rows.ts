/** The rows of both engines: every type, missing values, values that are equal. */
import { schemaOf } from '../../../../../test/support/schema.ts';

const string = { kind: 'string' } as const;

/** The table of the adapter. */
export const SCHEMA = schemaOf({
  id: 'long',
  title: string,
  body: string,
  kind: string,
  n: 'long',
  price: 'double',
  ok: 'boolean',
  at: 'timestamptz',
  host: string,
});

/** Its index. */
export const FIELDS = [
  ...['{ name: id, type: LONG }', '{ name: title, type: TEXT, cached: true }'],
  ...['{ name: body, type: TEXT }', '{ name: kind, type: KEYWORD, fast: true }'],
  ...['{ name: n, type: LONG }', '{ name: price, type: DOUBLE }', '{ name: ok, type: BOOL }'],
  ...['{ name: at, type: DATE }', '{ name: host, type: IP }'],
];

/** The same fields in OpenSearch. */
export const MAPPING = {
  dynamic: false,
  properties: {
    id: { type: 'long' },
    title: { type: 'text' },
    body: { type: 'text' },
    kind: { type: 'keyword' },
    n: { type: 'long' },
    price: { type: 'double' },
    ok: { type: 'boolean' },
    at: { type: 'date' },
    host: { type: 'ip' },
  },
};

/** Words of texts and queries. */
export const WORDS = ['quick', 'brown', 'fox', 'lazy', 'dog', 'time', 'timeout', 'search', 'red'];
/** Values of `kind`. */
export const KINDS = ['alpha', 'Alpha', 'beta', 'gamma', 'del-ta', 'été', '漢字', 'a$b'];

/** So many rows that one page holds all. */
export const COUNT = 240;
const every = <T>(at: number, step: number, value: T): T | null => (at % step === 0 ? null : value);
const words = (at: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(at * (i + 3) + i * i) % WORDS.length]).join(' ');

/** Half of the dates are around the ends of summer time in Europe. */
function dateOf(at: number): string {
  const change = [Date.UTC(2024, 2, 31, 1), Date.UTC(2024, 9, 27, 1)][at % 2];
  const millis = at % 4 < 2 ? change + (at - 120) * 420_000 : Date.UTC(2023, at % 24, 5) + at * 977;
  return new Date(millis).toISOString();
}

/** Texts without a word, by row. */
const WORDLESS: ReadonlyMap<number, string> = new Map([
  [101, ''],
  [150, '!? --'],
]);

/** The rows. */
export const ROWS = Array.from({ length: COUNT }, (_, at) => ({
  id: BigInt(at),
  title: WORDLESS.get(at) ?? every(at, 17, words(at, 1 + (at % 5))),
  body: every(at, 5, words(at * 7, 2 + (at % 9))),
  kind: every(at, 11, KINDS[at % KINDS.length]),
  n: every(at, 13, at === 50 ? 2n ** 53n + 1n : BigInt((at * 37) % 100) - 20n),
  price: every(at, 7, ((at * 53) % 400) / 4),
  ok: every(at, 19, at % 3 === 0),
  at: every(at, 23, dateOf(at)),
  host: every(at, 29, `10.0.${at % 8}.${at}`),
}));
