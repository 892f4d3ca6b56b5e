/** Groups of an aggregation: rows without a value, time zones, the lag; checked by loops. */
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { aggregateTool } from '../src/tools/aggregate.ts';
import { describeIndexTool } from '../src/tools/describe-index.ts';
import { searchTool } from '../src/tools/search.ts';

const ROWS = Array.from({ length: 90 }, (_, id) => ({
  id,
  year: 1871 + id,
  city: id % 7 === 0 ? null : `city ${id % 4}`,
  ms: Date.UTC(2025, 0, 1 + (id % 5), 12),
  at: id % 11 === 0 ? null : new Date(Date.UTC(2025, 0, 1 + id, (id * 7) % 24)).toISOString(),
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(
    schemaOf({ id: 'long', city: 'string', at: 'timestamptz', ms: 'long', year: 'long' }),
    { rows: ROWS },
  );
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: id, type: LONG, fast: true }
  - { name: ms, type: LONG, fast: true }
  - { name: year, type: LONG, fast: true }
  - { name: city, type: KEYWORD, fast: true }
  - { name: at, type: DATE, fast: true }`);
});
afterAll(() => lake.close());

const aggregate = (input: object, backend = lake.library) =>
  aggregateTool.run(input, { backend, call: {} });
const countOf = (matches: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(matches).length;

describe('groups', () => {
  it.each([
    [{ terms: 'city', size: 2 }, 'terms', countOf(({ city }) => city === null)],
    [{ histogram: 'at', interval: 'month' }, 'histogram', countOf(({ at }) => at === null)],
    [{ aggs: { own: { terms: { field: 'city' } } } }, 'own', countOf(({ city }) => city === null)],
  ] as const)('counts the rows without a value: %j', async (input, name, missing) => {
    const { structured, text } = await aggregate(input);
    expect(structured.results).toMatchObject({ [name]: { missing } });
    expect(Object.keys(structured.results as object)).toEqual([name]);
    expect(text.split('\n')).toContain(`missing: ${missing}`);
  });

  it('has the dates of numbers that look like milliseconds since 1970', async () => {
    const day = 86_400_000;
    const { structured, text } = await aggregate({
      aggs: { day: { histogram: { field: 'ms', interval: day } } },
    });
    const { buckets } = (structured.results as { day: { buckets: object[] } }).day;
    const days = ['01', '02', '03', '04', '05'].map((one) => `2025-01-${one}T00:00:00Z`);
    expect(buckets).toEqual(
      days.map((date) => ({ key: Date.parse(date), doc_count: 18, looks_like_epoch_ms: date })),
    );
    expect(text).toContain(`${Date.parse(days[1])}\t18\t${days[1]}`);
    const ids = await aggregate({ terms: 'id', size: 3 });
    expect(JSON.stringify(ids.structured)).not.toContain('epoch');
  });

  it('names no rows without a value if there are none, or if they are in a group', async () => {
    const { text } = await aggregate({ query: 'city:*', terms: 'city' });
    expect(text).not.toContain('missing');
    const all = await aggregate({ aggs: { own: { terms: { field: 'city', missing: 'none' } } } });
    expect(all.structured.results).not.toHaveProperty('own.missing');
    expect(all.text).toContain(`none\t${countOf(({ city }) => city === null)}`);
  });

  it.each([
    ['Asia/Tokyo', 9],
    [undefined, 0],
  ] as const)('groups by days of the week in a time zone: %s', async (time_zone, hours) => {
    const { structured, text } = await aggregate({
      histogram: 'at',
      interval: 'day_of_week',
      ...(time_zone && { time_zone }),
    });
    const days = ROWS.flatMap(({ at }) => {
      return at === null ? [] : (new Date(Date.parse(at) + hours * 3_600_000).getUTCDay() + 6) % 7;
    });
    const counts = Array.from({ length: 7 }, (_, day) => days.filter((one) => one === day).length);
    const { buckets } = (structured.results as { histogram: { buckets: object[] } }).histogram;
    expect(buckets).toMatchObject(counts.map((doc_count, day) => ({ key: day + 1, doc_count })));
    expect(text).toContain(time_zone ? 'in Asia/Tokyo' : 'in UTC; time_zone names another zone');
  });

  it('has the lag of a look at the table if the index does not know it', async () => {
    const unknown = { lag_snapshots: null };
    const backend = {
      ...lake.library,
      aggregate: async (...of: Parameters<typeof lake.library.aggregate>) => {
        return { ...(await lake.library.aggregate(...of)), ...unknown };
      },
      search: async (...of: Parameters<typeof lake.library.search>) => {
        return { ...(await lake.library.search(...of)), ...unknown };
      },
    };
    expect((await aggregate({}, backend)).text).toMatch(/; snapshot \d+, lag 0/);
    const nothing = await searchTool.run({ query: 'city:none' }, { backend, call: {} });
    expect(nothing.text).toMatch(/^no hits of 0; snapshot \d+, lag 0/);
    const getKeys = async () => {
      throw new LhsError('source_unreachable', 'the table does not answer');
    };
    const without = await aggregate({}, { ...backend, getKeys });
    expect(without.text).toContain(', lag unknown');
  });

  it('of milliseconds since 1970 are groups of numbers, as the hint writes them', async () => {
    const error: unknown = await aggregate({ histogram: 'ms', interval: 'day' }).catch((e) => e);
    const { hint = '' } = error as LhsError;
    const aggs = JSON.parse(/^take aggs (.*): days of milliseconds$/.exec(hint)?.[1] ?? '{}');
    const { structured } = await aggregate({ aggs });
    const days = Array.from({ length: 5 }, (_, day) => ({
      key: Date.UTC(2025, 0, 1 + day),
      doc_count: countOf(
        ({ ms }) => Math.floor(ms / 86_400_000) * 86_400_000 === Date.UTC(2025, 0, 1 + day),
      ),
    }));
    expect(structured.results).toMatchObject({ groups: { buckets: days } });
    const { text } = await describeIndexTool.run({}, { backend: lake.library, call: {} });
    const range = 'looks_like_epoch_ms 2025-01-01T12:00:00Z to 2025-01-05T12:00:00Z';
    expect(text).toContain(range);
    expect(text.match(/looks_like_epoch_ms/g)).toHaveLength(1);
  });

  it.each([
    ['decade', 10],
    ['year', 1],
  ])('of years are groups of numbers: %s', async (interval, width) => {
    const error: unknown = await aggregate({ histogram: 'year', interval }).catch((e) => e);
    const { hint = '' } = error as LhsError;
    const aggs = JSON.parse(/^take aggs (.*): years 1871 to 1960; /.exec(hint)?.[1] ?? '{}');
    expect(aggs).toEqual({ groups: { histogram: { field: 'year', interval: width } } });
    const nested = { groups: { date_histogram: { field: 'year', calendar_interval: interval } } };
    const { hint: both } = await aggregate({ aggs: nested }).catch((e) => e);
    expect(both).toMatch(/"interval":10}}: decades of years, or .*: days of milliseconds$/);
    const numbers = await aggregate({ histogram: 'id', interval }).catch((e) => e);
    expect(numbers.hint).toMatch(/"interval":1}}}: numbers from 0 to 89$/);
  });

  it('show every period in an order, and say what a size leaves out', async () => {
    const days = new Set(ROWS.flatMap(({ at }) => at?.slice(0, 10) ?? []));
    const input = {
      histogram: 'at',
      interval: 'day',
      stats: 'ms',
      order: 'stats.avg:asc',
      max_tokens: 16_000,
    };
    const all = await aggregate(input);
    expect(all.structured).toHaveProperty('results.histogram.buckets.length', days.size);
    expect(all.text).not.toContain('raise size');
    const some = await aggregate({ ...input, size: 10 });
    expect(some.structured).toHaveProperty('results.histogram.total_buckets', days.size);
    expect(some.text).toContain(`\n10 of ${days.size} periods shown; raise size\n`);
    const first = await aggregate({ histogram: 'at', interval: 'day', size: 2 });
    expect(first.text).toContain(`\n2 of ${days.size} periods shown; raise size\n`);
  });
});
