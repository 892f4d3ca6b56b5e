/** Several indexes in a call, rows by other values than their keys, groups by parts of dates. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { appendRows, createTable, type Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { TOOLS } from '../src/tools/all-tools.ts';
import { toolSchema } from '../src/tools/served-tools.ts';

const field = (id: number, name: string, type: Type, required = false) => {
  return { id, name, type, required };
};
const text = { kind: 'string' } as const;
const schema = {
  schemaId: 0,
  identifierFieldIds: [1, 2],
  fields: [
    ...[field(1, 'repo', text, true), field(2, 'sha', text, true), field(3, 'mail', text)],
    ...[field(4, 'subject', text), field(5, 'size', { kind: 'long' })],
    field(6, 'at', { kind: 'timestamptz' }),
  ],
};
const FIELDS = `key: { identifier: [repo, sha] }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: sha, type: KEYWORD }
  - { name: mail, type: KEYWORD }
  - { name: size, type: LONG, fast: true }
  - { name: at, type: DATE, fast: true }`;

const rowsOf = (repo: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    repo,
    sha: ((i + 1) * 0x9e3779b1).toString(16).padStart(12, '0'),
    mail: `${repo}${i}@example.com`,
    subject: i % 2 === 0 ? `fix the ${'leak '.repeat(1 + (i % 5))}` : 'other',
    size: (i * 37) % 41,
    at: new Date(Date.UTC(2025, 0, 1 + i, (i * 7) % 24)).toISOString(),
  }));
const [GIT, CURL] = [rowsOf('git', 60), rowsOf('curl', 25)];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await appendRows(lake.source, { kind: 'rows', rows: GIT });
  await lake.define(FIELDS);
  const { catalog } = lake.source;
  await createTable(catalog, 'a.u', { schema });
  await appendRows({ catalog, table: 'a.u' }, { kind: 'rows', rows: CURL });
  const at = `catalog: ${JSON.stringify(catalog)}, table: a.u`;
  const definition = `version: 1\nindex: u\nsource: { ${at} }\n${FIELDS}\n`;
  await lake.backend.createIndex({ definition, base_dir: lake.folder });
  for (const index of ['t', 'u']) await lake.backend.reindex({ index });
});
afterAll(() => lake.close());

async function ask(name: string, input: object) {
  const tool = TOOLS.find((one) => one.name === name)!;
  const answer = await tool.run(input, { backend: lake.backend, call: {} });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any tool's response
  return answer as { readonly text: string; readonly structured: any };
}

/** Index and key of each hit, in both forms of a page. */
const hitsOf = ({ hits, columns, rows }: JsonObject): readonly string[] =>
  hits === undefined
    ? (rows as readonly (readonly Json[])[]).map((row) =>
        [row[(columns as readonly string[]).indexOf('index')], row[1]].join(' '),
      )
    : (hits as readonly JsonObject[]).map(({ index, key }) => `${index} ${key}`);

async function pages(input: object, limit: number): Promise<readonly string[]> {
  const all: string[] = [];
  let cursor: string | undefined;
  do {
    const page = { ...input, limit, ...(cursor && { cursor }) };
    const { structured } = await ask('search', page);
    all.push(...hitsOf(structured));
    cursor = structured.continuation;
  } while (cursor !== undefined);
  return all;
}

describe('several indexes in a call', () => {
  it.each([[['t', 'u']], ['t,u'], [' t , u ,t']])('are named as %j', async (index) => {
    const { structured, text: shown } = await ask('search', { index, query: 'leak' });
    expect(structured).toMatchObject({ index: 't,u', total: 43 });
    expect(structured.indexes).toMatchObject([
      { index: 't', total: 30 },
      { index: 'u', total: 13 },
    ]);
    expect(shown).toMatch(
      /^hits 1 to 10 of 43 \(lexical\): 30 in t; snapshot \d+, lag \w+ · 13 in u;/,
    );
    const counted = await ask('aggregate', { index, query: 'leak', terms: 'size' });
    expect(counted.structured).toMatchObject({
      total: 43,
      indexes: [{ total: 30 }, { total: 13 }],
    });
    expect(counted.structured.indexes[1].results.terms.buckets).toHaveLength(10);
  });

  it('are merged by rank, page by page', async () => {
    const [t, u] = await Promise.all(
      ['t', 'u'].map(async (index) => {
        const { hits } = await lake.backend.search({ index, query: 'leak', limit: 100 });
        return hits.map(
          ({
            coordinates: {
              identifier: [repo, sha],
            },
          }) => {
            return `${index} repo=${repo.value},sha=${sha.value}`;
          },
        );
      }),
    );
    const merged = t.flatMap((hit, rank) => [hit, ...(u[rank] === undefined ? [] : [u[rank]])]);
    for (const limit of [3, 7, 40]) {
      expect(await pages({ index: ['t', 'u'], query: 'leak' }, limit)).toEqual(merged);
    }
  });

  it('are merged by the values of a sort', async () => {
    const rows = [
      ...GIT.map((row) => ({ ...row, index: 't' })),
      ...CURL.map((row) => ({ ...row, index: 'u' })),
    ];
    const sorted = rows.toSorted((a, b) => b.size - a.size || (a.at < b.at ? -1 : 1));
    const found = await pages({ index: 't,u', query: '*:*', sort: 'size:desc,at' }, 9);
    expect(found).toHaveLength(rows.length);
    const values = found.map((hit) => {
      const [, index, repo, sha] = /^(\w) repo=(\w+),sha=(\w+)$/.exec(hit) ?? [];
      return rows.find((row) => row.index === index && row.repo === repo && row.sha === sha)!;
    });
    const shown = (row: (typeof rows)[number]) => `${row.size} ${row.at}`;
    expect(values.map(shown)).toEqual(sorted.map(shown));
  });

  it('are read by whole rows, each with its own citation', async () => {
    const input = { index: 't,u', query: 'mail:git2@example.com OR mail:curl3@example.com' };
    const { structured } = await ask('search', { ...input, detail: 'full' });
    expect(structured.hits.map(({ row }: { row: JsonObject }) => row.mail)).toEqual([
      ...['git2@example.com', 'curl3@example.com'],
    ]);
    for (const [i, { citation }] of structured.indexes.entries()) {
      const { key, hash } = structured.hits[i];
      const cited = citation.replace('{key}', key).replace('{hash}', hash);
      const { structured: found } = await ask('cite_check', { citations: [cited] });
      expect(found.checks[0].status).toBe('unchanged');
    }
  });

  it('have reasons if none has a row', async () => {
    const { structured } = await ask('search', { index: 't,u', query: 'mail:git2@example.co' });
    expect(structured.notes).toEqual([
      expect.stringMatching(/^t: each clause alone: mail:git2@example.co: 0 \(did you mean/),
      expect.stringMatching(/^t: suggested_query: mail:.*git2@example.com/),
      expect.stringMatching(/^u: each clause alone/),
    ]);
  });

  it('are choices of the argument, one or an array', async () => {
    const indexes = await lake.backend.listIndexes({});
    const [search, similar] = TOOLS.map((tool) => toolSchema(tool, { indexes }));
    expect(search).toMatchObject({
      properties: { index: { anyOf: [{ enum: ['t', 'u'] }, { type: 'array' }] } },
    });
    expect(similar).toMatchObject({ properties: { index: { enum: ['t', 'u'] } } });
    await expect(ask('search', { index: 't,x', query: 'a' })).rejects.toThrow('index "x"');
  });
});

describe('a row', () => {
  const [, { sha, mail }] = GIT;
  it.each([
    ['mail', `mail=${mail}`],
    ['a short id', `sha=${sha.slice(0, 10)}`],
    ['a value without a column', sha],
    ['a short id without a column', sha.slice(0, 10)],
    ['several columns', `mail=${mail},sha=${sha.slice(0, 6)}`],
    ['its key', `repo=git,sha=${sha}`],
  ])('is read by %s', async (_, key) => {
    const { structured } = await ask('hydrate', { index: 't', keys: [key] });
    expect(structured).toMatchObject({ missing: [], rows: [{ key: `repo=git,sha=${sha}` }] });
    expect(structured.rows[0].row.mail).toBe(mail);
  });

  it.each([
    ['size=0', /^size=0: \d+ rows have it: did you mean repo=git,sha=/],
    ['sha=0', /^sha=0: 60 rows begin with it: did you mean repo=git,sha=\w+ or /],
    ['mail=git1@exampel.com', /did you mean mail:"?git1@example\.com/],
    ['repo=git', /no field for "repo": write the whole key, repo=…,sha=…/],
    ['size=many', /^$/],
  ])('is not guessed: %s', async (key, reason) => {
    const { structured, text: shown } = await ask('hydrate', { index: 't', keys: [key] });
    expect(structured).toMatchObject({ missing: [key], rows: [] });
    const [note = ''] = structured.notes ?? [];
    expect(note).toMatch(reason);
    expect(shown).toContain(`no row ${key}`);
    expect(shown).toContain(note);
  });
});

describe('groups', () => {
  it('are parts of dates, in the order of a figure', async () => {
    const parts = { index: 't', histogram: 'at', interval: 'hour_of_day' };
    const { structured } = await ask('aggregate', parts);
    const hours = Map.groupBy(GIT, ({ at }) => new Date(at).getUTCHours());
    const expected = [...hours].map(([key, rows]) => ({ key, doc_count: rows.length }));
    expect(structured.results.histogram.buckets).toEqual(expected.sort((a, b) => a.key - b.key));
    const most = { ...parts, stats: 'size', order: 'stats.sum:desc', size: 3 };
    const best = (await ask('aggregate', most)).structured.results.histogram.buckets;
    const sums = [...hours.values()].map((rows) => rows.reduce((sum, { size }) => sum + size, 0));
    expect(best.map(({ aggs }: { aggs: { stats: JsonObject } }) => aggs.stats.sum)).toEqual(
      sums.sort((a, b) => b - a).slice(0, 3),
    );
  });

  it('have changes and ratios', async () => {
    const aggs = {
      leaks: { filter: 'subject:leak' },
      share: { ratio: { of: 'leaks', to: '_count' } },
      growth: { change: { of: '_count' } },
    };
    const input = { index: 't', histogram: 'at', aggs };
    const { buckets } = (await ask('aggregate', input)).structured.results.histogram;
    const months = [...Map.groupBy(GIT, ({ at }) => at.slice(0, 7)).values()];
    expect(buckets).toMatchObject(
      months.map((rows, i) => {
        const leaks = rows.filter(({ subject }) => subject.includes('leak')).length;
        const growth = i === 0 ? null : rows.length - months[i - 1].length;
        const shares = { share: { value: leaks / rows.length }, growth: { value: growth } };
        return { doc_count: rows.length, aggs: { leaks: { doc_count: leaks }, ...shares } };
      }),
    );
  });

  it('are needed for an order', async () => {
    await expect(ask('aggregate', { index: 't', order: '_key' })).rejects.toThrow('of groups');
  });
});

describe('rows that the index does not have yet', () => {
  it('are read, and the lag of the index is named', async () => {
    const fresh = { ...GIT[0], sha: 'ffff', subject: 'fresh' };
    await appendRows(lake.source, { kind: 'rows', rows: [fresh] });
    const { structured, text: shown } = await ask('hydrate', {
      index: 't',
      keys: ['repo=git,sha=ffff'],
    });
    expect(structured).toMatchObject({ lag: 1, rows: [{ row: { subject: 'fresh' } }] });
    expect(shown).toMatch(
      /^1 rows of t; snapshot \d+ of the table; searches are 1 snapshots behind/,
    );
  });
});
