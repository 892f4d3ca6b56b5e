/**
 * Tables whose keys ascend with their rows (numbers that grow, decimals, keys of two columns), and
 * tables whose keys are hashes: searches of words find what brute force finds, with equal scores in
 * the order of the keys, and the query kernel runs them all.
 */
import { createHash } from 'node:crypto';
import type { Hit, SearchRequest } from '@lakehouse-search/contract';
import { deleteRows, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { kernelUse } from '../../src/scoring/kernel/query-kernel.ts';
import { bruteForce } from '../scoring/brute-force.ts';

type KeyField = Omit<Schema['fields'][number], 'id' | 'required'>;

interface KeyKind {
  readonly name: string;
  readonly fields: readonly KeyField[];
  /** The texts of key `i` of `ROWS`; a key with a larger `i` comes later, unless `hashed`. */
  readonly keyOf: (i: number) => readonly string[];
  readonly hashed?: true;
}

const ROWS = 4000;
const sha = (i: number): string => createHash('sha1').update(String(i)).digest('hex');
const cents = (i: number): string => ((i - 1500) / 100).toFixed(2);

const KINDS: readonly KeyKind[] = [
  {
    name: 'ints',
    fields: [{ name: 'id', type: { kind: 'int' } }],
    keyOf: (i) => [String(i - 1200)],
  },
  {
    name: 'longs beyond 2^53',
    fields: [{ name: 'id', type: { kind: 'long' } }],
    keyOf: (i) => [String(2n ** 53n + BigInt(i) * 7n)],
  },
  {
    name: 'decimals',
    fields: [{ name: 'id', type: { kind: 'decimal', precision: 9, scale: 2 } }],
    keyOf: (i) => [cents(i)],
  },
  {
    name: 'texts',
    fields: [{ name: 'id', type: { kind: 'string' } }],
    keyOf: (i) => [`row-${String(i).padStart(6, '0')}`],
  },
  {
    name: 'a text and an int',
    fields: [
      { name: 'shop', type: { kind: 'string' } },
      { name: 'id', type: { kind: 'int' } },
    ],
    keyOf: (i) => [`shop ${Math.floor(i / 700)}`, String((i % 700) - 90)],
  },
  {
    name: 'an int and a decimal',
    fields: [
      { name: 'id', type: { kind: 'long' } },
      { name: 'price', type: { kind: 'decimal', precision: 9, scale: 2 } },
    ],
    keyOf: (i) => [String(Math.floor(i / 9)), cents(i % 9)],
  },
  {
    name: 'hashes',
    fields: [{ name: 'id', type: { kind: 'string' } }],
    keyOf: (i) => [sha(i)],
    hashed: true,
  },
];

/** Short texts of few words: most scores have equals. */
function texts(): readonly string[] {
  const random = seededBelow(71);
  return Array.from({ length: ROWS }, () => {
    const words = Array.from({ length: 1 + random(4) }, () => 'abcdefgh'[random(8)]);
    if (random(40) === 0) words.push('rare');
    if (random(3) === 0) words.push(`s${random(300)}`);
    return words.join(' ');
  });
}

const TEXTS = texts();
const BY_SCORE = [{ field: '_score', desc: true }];
const QUERIES = ['a', 'rare', 's7', 'a b', 'a rare', 'rare s7', 'a b c', 's1 s2 s3', 'a b c rare'];

/** Of key `i`: a text that sorts as the keys do. */
const sortable = ({ hashed, keyOf }: KeyKind, i: number): string =>
  hashed ? keyOf(i)[0] : String(i).padStart(6, '0');

const identifier = ({ coordinates }: Hit): string =>
  coordinates.identifier.map(({ value }) => value).join('|');

describe.each(KINDS)('a table with keys of $name', (kind) => {
  let lake: SmallLake;
  const rows = TEXTS.map((body, i) => {
    const key = kind.keyOf(i);
    return { ...Object.fromEntries(kind.fields.map(({ name }, k) => [name, key[k]])), body, n: i };
  });
  const model = TEXTS.map((text, i) => ({
    values: [text],
    key: sortable(kind, i),
    blocked: false,
  }));
  const nameOf = new Map(model.map(({ key }, i) => [key, kind.keyOf(i).join('|')]));
  const keyNamed = new Map([...nameOf].map(([key, name]) => [name, key]));
  const search = (query: string, more: SearchRequest) =>
    lake.backend.search({ query: `body:(${query})`, fields: [], sort: BY_SCORE, ...more });

  beforeAll(async () => {
    lake = await openSmallLake();
    const key = kind.fields.map((field, i) => ({ ...field, id: i + 1, required: true }));
    const other = [
      { id: 8, name: 'body', type: { kind: 'string' as const }, required: true },
      { id: 9, name: 'n', type: { kind: 'int' as const }, required: true },
    ];
    const identifierFieldIds = key.map(({ id }) => id);
    await lake.create({ schemaId: 0, identifierFieldIds, fields: [...key, ...other] });
    await lake.define(`key: { identifier: [${kind.fields.map(({ name }) => name).join(', ')}] }
fields: [{ name: body, type: TEXT, analyzer: simple }, { name: n, type: LONG, fast: true }]`);
    const append = (own: typeof rows) => lake.append(own);
    await append(rows.slice(0, 3000));
    await lake.backend.reindex({});
    await append(rows.slice(3000, 3900));
    await lake.backend.sync({});
    await append(rows.slice(3900));
    await lake.backend.sync({});
  });
  afterAll(() => lake.close());

  it.each(['or', 'and'] as const)(
    'gives what brute force finds, by the kernel (%s)',
    async (mode) => {
      const before = { ...kernelUse };
      for (const query of QUERIES) {
        const wanted = query.split(' ').map((word, position) => ({ word, boost: 1, position }));
        const truth = bruteForce(model, mode, wanted);
        const request = { default_operator: mode, limit: 10 };
        const { hits, total } = await search(query, request);
        expect(total).toBe(truth.length);
        expect(hits.map(({ score }) => score)).toEqual(
          truth.slice(0, 10).map(({ score }) => expect.closeTo(score, 9)),
        );
        const same = truth.filter(({ score }) => Math.abs(score - hits.at(-1)!.score) < 1e-9);
        const better = truth.filter(({ score }) => score > hits.at(-1)!.score + 1e-9);
        expect(hits.slice(better.length).map(identifier)).toEqual(
          same.slice(0, 10 - better.length).map((hit) => nameOf.get(hit.key)),
        );
      }
      expect(kernelUse.run - before.run).toBeGreaterThanOrEqual(QUERIES.length);
    },
  );

  it.each([
    ['of all rows', {}],
    ['of filtered rows', { filter: 'n:[500 TO 3950]' }],
  ] as const)(
    'has pages %s that follow each other in the order of scores and keys',
    async (_, more) => {
      const before = { ...kernelUse };
      for (const query of ['a', 'a b', 'rare']) {
        const whole = await search(query, { ...more, limit: 5000 });
        expect(whole.hits).toHaveLength(whole.total);
        const compared = whole.hits.toSorted(
          (a, b) =>
            b.score - a.score ||
            (keyNamed.get(identifier(a))! < keyNamed.get(identifier(b))! ? -1 : 1),
        );
        expect(whole.hits.map(identifier)).toEqual(compared.map(identifier));
        for (const limit of [1, 10, 64]) {
          let hits = (await search(query, { ...more, limit })).hits;
          for (let at = 0; at < 5 * limit && hits.length > 0; at += limit) {
            expect(hits.map(identifier)).toEqual(whole.hits.slice(at, at + limit).map(identifier));
            const search_after = hits.at(-1)!.sort!;
            hits = (await search(query, { ...more, limit, search_after })).hits;
          }
        }
      }
      expect(kernelUse.run - before.run).toBeGreaterThan(15);
    },
  );

  it('has the same pages beside deleted rows', async () => {
    await deleteRows(lake.source, 'n % 3 = 1 OR (n > 1000 AND n < 1500)');
    await lake.backend.sync({});
    const isLive = (i: number) => !(i % 3 === 1 || (i > 1000 && i < 1500));
    const before = { ...kernelUse };
    for (const query of QUERIES) {
      const words = query.split(' ');
      const matching = TEXTS.filter((text, i) => {
        return isLive(i) && text.split(' ').some((word) => words.includes(word));
      });
      const whole = await search(query, { limit: 5000 });
      expect(whole.total).toBe(matching.length);
      const { hits, total } = await search(query, { limit: 10 });
      expect(total).toBe(matching.length);
      expect(hits.map(identifier)).toEqual(whole.hits.slice(0, 10).map(identifier));
    }
    expect(kernelUse.run - before.run).toBeGreaterThanOrEqual(QUERIES.length);
  });
});
