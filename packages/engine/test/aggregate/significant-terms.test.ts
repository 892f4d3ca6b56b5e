/** Significant terms against counts and scores of plain loops over the rows, in 1 and 3 shards. */
import type { JsonObject, LhsError } from '@lakehouse-search/contract';
import { upsertRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const below = seededBelow(20_261_129);
type Row = {
  readonly id: number;
  readonly org: string;
  readonly team: string | null;
  readonly size: number | null;
  readonly price: number | null;
  readonly state: string;
};

/** Small numbers are more frequent; sizes and prices follow the state. */
function rowOf(id: number): Row {
  const state = ['open', 'closed', 'late'][below(3)];
  const skewed = (most: number) => below(1 + below(most));
  return {
    ...{ id, state, org: ['acme', 'rival'][below(2)] },
    team: below(9) === 0 ? null : `Team ${skewed(state === 'late' ? 9 : 40)}`,
    size: below(9) === 0 ? null : skewed(state === 'open' ? 12 : 60),
    price: below(9) === 0 ? null : (skewed(50) - 25) / 8,
  };
}
const rows = Array.from({ length: 900 }, (_, id) => rowOf(id));

const schema = schemaOf({
  ...{ id: 'long', org: 'string', team: 'string', size: 'long', price: 'double' },
  state: 'string',
});

type Name = 'team' | 'size' | 'price' | 'org';
type Heuristic = 'jlh' | 'chi_square';
interface Asked {
  readonly name: Name;
  readonly least: number;
  readonly heuristic: Heuristic;
  readonly negatives?: boolean;
  readonly superset?: boolean;
}

const countOf = (some: readonly Row[], name: Name, value: unknown): number =>
  some.filter((row) => row[name] === value).length;

/** The sum of (observed - expected)² / expected over the four cells of a table. */
function chiSquare(cells: readonly [number, number, number, number]): number {
  const [a, b, c, d] = cells;
  const all = a + b + c + d;
  const expected = [
    ...[((a + b) * (a + c)) / all, ((a + b) * (b + d)) / all],
    ...[((c + d) * (a + c)) / all, ((c + d) * (b + d)) / all],
  ];
  return cells.reduce((sum, cell, i) => sum + (cell - expected[i]) ** 2 / expected[i], 0);
}

function scoreOf(asked: Asked, [f, docs, bg, all]: readonly number[]): number {
  if (asked.heuristic === 'jlh') {
    const [share, before] = [f / docs, (bg || 1) / all];
    return share > before ? ((share - before) * share) / before : 0;
  }
  const [with_, without] = asked.superset === false ? [bg, all] : [bg - f, all - docs];
  if (asked.negatives !== true && f / docs < with_ / without) return 0;
  return chiSquare([f, docs - f, with_, without - with_]);
}

function significant(found: readonly Row[], all: readonly Row[], asked: Asked) {
  const { name, least } = asked;
  const values = new Set(found.map((row) => row[name]).filter((value) => value !== null));
  const buckets = [...values].flatMap((key) => {
    const [f, bg] = [countOf(found, name, key), countOf(all, name, key)];
    const score = scoreOf(asked, [f, found.length, bg, all.length]);
    return f >= least && score > 0 ? [{ key, doc_count: f, score, bg_count: bg }] : [];
  });
  const order = (a: { key: unknown }, b: { key: unknown }) =>
    (a.key as number) < (b.key as number) ? -1 : 1;
  return { doc_count: found.length, bg_count: all.length, buckets: buckets.sort(order) };
}

const optionsOf = ({ name, least, heuristic, negatives, superset }: Asked): JsonObject => {
  const chi = {
    ...(negatives === undefined ? {} : { include_negatives: negatives }),
    ...(superset === undefined ? {} : { background_is_superset: superset }),
  };
  const own: JsonObject = heuristic === 'jlh' ? {} : { chi_square: chi };
  return { field: name, min_doc_count: least, size: 1000, ...own };
};

describe.each([1, 3])('significant terms in %i shards', (shards) => {
  let lake: SmallLake;
  let live: Row[];
  beforeAll(async () => {
    lake = await openSmallLake();
    await lake.create(schema, { rows: rows.slice(0, 400) });
    await lake.build(`key: { identifier: [id] }
tenant_field: org
sharding: { shards: ${shards} }
fields:
  - { name: org, type: KEYWORD, fast: true }
  - { name: team, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
  - { name: price, type: DOUBLE, fast: true }
  - { name: state, type: KEYWORD, fast: true }`);
    await lake.append(rows.slice(400));
    await lake.backend.sync({});
    // the index has deleted documents
    const changed = Array.from({ length: 90 }, (_, i) => rowOf(i * 7));
    await upsertRows(lake.source, { kind: 'rows', rows: changed });
    await lake.backend.sync({});
    const byId = new Map([...rows, ...changed].map((row) => [row.id, row]));
    live = [...byId.values()];
  });
  afterAll(() => lake?.close());

  const aggregate = async (spec: JsonObject, query = '*:*'): Promise<JsonObject> => {
    const { results } = await lake.backend.aggregate({ query, aggs: { s: spec } as never });
    return results.s as unknown as JsonObject;
  };
  function expectResult(found: JsonObject, wanted: ReturnType<typeof significant>): void {
    const { buckets, ...heads } = found as unknown as ReturnType<typeof significant>;
    const { buckets: expected, ...counts } = wanted;
    expect(heads).toEqual(counts);
    const scores = buckets.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    const byKey = [...buckets].sort((a, b) => ((a.key as number) < (b.key as number) ? -1 : 1));
    const plain = (list: typeof buckets) => list.map(({ score: _, ...bucket }) => bucket);
    expect(plain(byKey)).toEqual(plain(expected));
    byKey.forEach(({ score }, i) => {
      expect(Math.abs(score / expected[i].score - 1)).toBeLessThan(1e-9);
    });
  }

  it.each(['team', 'size', 'price', 'org'] as const)(
    'of %s are those of the rows',
    async (name) => {
      for (const query of ['state:late', 'state:open', '*:*', 'state:absent', 'size:[0 TO 3]']) {
        const holds = (row: Row) => {
          if (query === '*:*') return true;
          if (query.startsWith('size')) return row.size !== null && row.size <= 3;
          return row.state === query.slice('state:'.length);
        };
        const found = live.filter(holds);
        for (const least of [1, 3]) {
          for (const asked of [
            { name, least, heuristic: 'jlh' },
            { name, least, heuristic: 'chi_square' },
            { name, least, heuristic: 'chi_square', negatives: true },
            { name, least, heuristic: 'chi_square', superset: false },
          ] as const) {
            const wanted = significant(found, live, asked);
            expectResult(await aggregate({ significant_terms: optionsOf(asked) }, query), wanted);
          }
        }
      }
    },
  );

  it('compares with the documents of a filter', async () => {
    const asked = { name: 'team', least: 2, heuristic: 'jlh' } as const;
    const background = live.filter(({ state }) => state !== 'open');
    const found = live.filter(({ state }) => state === 'late');
    for (const filter of ['NOT state:open', { query: 'NOT state:open' }] as const) {
      const options: JsonObject = { ...optionsOf(asked), background_filter: filter };
      const result = await aggregate({ significant_terms: options }, 'state:late');
      expectResult(result, significant(found, background, asked));
    }
  });

  it('says of how many a size leaves the first', async () => {
    const options = optionsOf({ name: 'team', least: 1, heuristic: 'jlh' });
    const found = live.filter(({ state }) => state === 'late');
    const all = significant(found, live, { name: 'team', least: 1, heuristic: 'jlh' }).buckets;
    for (const size of [1, all.length - 1, all.length]) {
      const result = await aggregate({ significant_terms: { ...options, size } }, 'state:late');
      const total = size < all.length ? all.length : undefined;
      expect(result.buckets).toHaveLength(size);
      expect(result.total_buckets).toBe(total);
    }
  });

  it('counts in the buckets of other aggregations, and holds others', async () => {
    const asked = { name: 'team', least: 2, heuristic: 'chi_square' } as const;
    const inner: JsonObject = {
      significant_terms: optionsOf(asked),
      aggs: { size: { stats: { field: 'size' } } },
    };
    const states = await aggregate({ terms: { field: 'state' }, aggs: { s: inner } });
    const buckets = states.buckets as unknown as { key: string; aggs: { s: JsonObject } }[];
    expect(buckets.map(({ key }) => key).sort()).toEqual(['closed', 'late', 'open']);
    for (const { key, aggs } of buckets) {
      const found = live.filter(({ state }) => state === key);
      const list = aggs.s.buckets as unknown as { key: string; aggs: { size: JsonObject } }[];
      const bare = list.map(({ aggs: { size }, ...bucket }) => {
        const sizes = found.filter(({ team }) => team === bucket.key).map((row) => row.size);
        expect(size.count).toBe(sizes.filter((own) => own !== null).length);
        return bucket;
      });
      expectResult({ ...aggs.s, buckets: bare as never }, significant(found, live, asked));
    }
  });

  it('counts again inside of its own buckets', async () => {
    const outer = { name: 'team', least: 9, heuristic: 'jlh' } as const;
    const asked = { name: 'size', least: 2, heuristic: 'jlh' } as const;
    const spec = {
      significant_terms: optionsOf(outer),
      aggs: { s: { significant_terms: optionsOf(asked) } },
    };
    const { buckets } = (await aggregate(spec, 'state:late')) as unknown as {
      buckets: { key: string; aggs: { s: JsonObject } }[];
    };
    expect(buckets.length).toBeGreaterThan(1);
    for (const { key, aggs } of buckets) {
      const found = live.filter(({ state, team }) => state === 'late' && team === key);
      expectResult(aggs.s, significant(found, live, asked));
    }
  });

  it('compares with the documents of the tenant alone', async () => {
    const asked = { name: 'team', least: 2, heuristic: 'jlh' } as const;
    const own = live.filter(({ org }) => org === 'acme');
    const aggs = { s: { significant_terms: optionsOf(asked) } } as never;
    const { results } = await asTenant(lake.backend, 'acme').aggregate({
      query: 'state:late',
      aggs,
    });
    const found = own.filter(({ state }) => state === 'late');
    expectResult(results.s as unknown as JsonObject, significant(found, own, asked));
  });

  it.each([
    [{ field: 'team', jlh: {}, chi_square: {} }, 'has "jlh" and "chi_square"'],
    [{ field: 'team', min_doc_count: 0 }, '"aggs.s.significant_terms.min_doc_count"'],
    [{ field: 'team', background_filter: 'nope:1' }, 'nope'],
    [{ field: 'team', chi_square: { include_negatives: 1 } }, 'include_negatives'],
    [
      { field: 'team', background_filter: 'state:open', chi_square: {}, min_doc_count: 1 },
      'documents of the query are not in the background',
    ],
  ])('refuses %j', async (options, message) => {
    const error = await aggregate({ significant_terms: options as never }, 'state:late').catch(
      (caught: LhsError) => caught,
    );
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('terms have the buckets of `include` alone', async () => {
    for (const name of ['team', 'size', 'price'] as const) {
      const values = [...new Set(live.map((row) => row[name]).filter((value) => value !== null))];
      const include = values.filter((_, i) => i % 3 === 0);
      const absent = name === 'team' ? 'nobody' : 4711;
      const terms = { field: name, include: [...include, absent], size: 1000 };
      const { buckets, sum_other_doc_count } = await aggregate({ terms } as never);
      const found = buckets as unknown as { key: unknown; doc_count: number }[];
      const counts = include.map((key) => [key, countOf(live, name, key)]);
      expect(new Map(found.map(({ key, doc_count }) => [key, doc_count]))).toEqual(
        new Map(counts as [unknown, number][]),
      );
      expect(sum_other_doc_count).toBe(0);
    }
  });
});
