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
    ...[field(7, 'note', text), field(8, 'due', { kind: 'timestamptz' })],
  ],
};
const FIELDS = `key: { identifier: [repo, sha] }
default_fields: [subject, sha, mail]
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: sha, type: KEYWORD }
  - { name: mail, type: KEYWORD }
  - { name: size, type: LONG, fast: true }
  - { name: at, type: DATE, fast: true }
  - { name: remark, source: [note], type: TEXT }
  - { name: meaning, source: subject, type: VECTOR }
  - { name: due, type: DATE, fast: true }
  - { name: note, type: KEYWORD, fast: true }
  - { name: words, source: [subject], type: TEXT }`;
/** Of the second index alone. */
const MORE = '  - { name: bytes, source: [size], type: LONG, fast: true, cached: true }';

const rowsOf = (repo: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    repo,
    sha: ((i + 1) * 0x9e3779b1).toString(16).padStart(12, '0'),
    mail: `${repo}${i}@example.com`,
    subject: i % 2 === 0 ? `fix the ${'leak '.repeat(1 + (i % 5))}` : 'other',
    size: (i * 37) % 41,
    at: new Date(Date.UTC(2025, 0, 1 + i, (i * 7) % 24)).toISOString(),
    note: i < 7 ? 'seen' : null,
    due: i < 7 ? new Date(Date.UTC(i === 3 ? 2999 : 2019, 0, 9 * i + 1)).toISOString() : null,
  }));
const [GIT, CURL] = [rowsOf('git', 60), rowsOf('curl', 25)];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: GIT });
  await lake.define(FIELDS);
  const { catalog } = lake.source;
  await createTable(catalog, 'a.u', { schema });
  await appendRows({ catalog, table: 'a.u' }, { kind: 'rows', rows: CURL });
  const at = `catalog: ${JSON.stringify(catalog)}, table: a.u`;
  const definition = `version: 1\nindex: u\nsource: { ${at} }\n${FIELDS}\n${MORE}\n`;
  await lake.library.indexes.create({ definition, base_dir: lake.folder });
  for (const index of ['t', 'u']) await lake.library.indexes.reindex({ index });
});
afterAll(() => lake.close());

async function ask(name: string, input: object) {
  const tool = TOOLS.find((one) => one.name === name)!;
  const answer = await tool.run(input, { backend: lake.library, call: {} });
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
    expect(shown).toMatch(/^hits 1 to 10 of 43: 30 in t; snapshot \d+, lag \w+ · 13 in u;/);
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
        const { hits } = await lake.library.search({ index, query: 'leak', limit: 100 });
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
      't: suggested_query: "mail:git2@example.co*" (1 rows)',
      expect.stringMatching(/^u: each clause alone/),
    ]);
  });

  it('have no match for clauses of fields that they lack', async () => {
    const index = ['t', 'u'];
    const leaks = GIT.filter(({ subject }) => subject.includes('leak'));
    const isLarge = ({ size }: (typeof CURL)[number]) => size > 30;
    const either = CURL.filter((row) => row.subject.includes('leak') || isLarge(row));
    const note =
      't: field "bytes" is not in index "t": its clauses match nothing; did you mean "size"?';
    for (const [input, own, other] of [
      [{ query: 'bytes:>30' }, 0, CURL.filter(isLarge)],
      [{ query: 'size:>=0', filter: 'BYTES:>30' }, 0, CURL.filter(isLarge)],
      [{ query: 'leak OR bytes:>30' }, leaks.length, either],
      [{ query: 'leak OR bytes:>30', filter: 'NOT bytes:>99' }, leaks.length, either],
      [{ query: 'NOT bytes:>30' }, GIT.length, CURL.filter((row) => !isLarge(row))],
      [{ query: '*:*', filter: 'leak OR bytes:(>30 OR 99)' }, leaks.length, either],
    ] as const) {
      for (const tool of ['search', 'aggregate']) {
        const { structured, text: shown } = await ask(tool, { index, ...input });
        expect(structured.indexes, JSON.stringify(input)).toMatchObject([
          { total: own },
          { total: other.length },
        ]);
        expect(structured.notes).toContain(note.replace('; did you mean "size"?', ''));
        expect(shown).toContain(structured.notes[0]);
      }
    }
    const only = { filter: { query: 'note:seen OR bytes:>30' } };
    const { indexes } = (await ask('aggregate', { index, aggs: { only } })).structured;
    const seen = CURL.filter((row) => row.note === 'seen' || isLarge(row)).length;
    expect(indexes).toMatchObject([
      { results: { only: { doc_count: 7 } } },
      { results: { only: { doc_count: seen } } },
    ]);
    const alone = ask('search', { index: 't', query: 'leak OR bytes:>30' });
    await expect(alone).rejects.toThrow('"bytes"');
  });

  it('have the rows with the words in any field of them together', async () => {
    const { notes } = (await ask('aggregate', { index: ['t', 'u'], query: 'fix seen' })).structured;
    const withBoth = [GIT, CURL].map(
      (rows) => rows.filter(({ subject, note }) => `${subject} ${note}`.match(/^fix.*seen/)).length,
    );
    expect(notes.at(-1)).toBe(
      'rows with the words in any field of these indexes: ' +
        `${withBoth.join(' + ')} = ${withBoth[0] + withBoth[1]}`,
    );
  });

  it('are sorted by the date that an unknown name means', async () => {
    const { structured } = await ask('search', { index: 't', query: '*:*', sort: 'date:desc' });
    const last = GIT.map(({ at }) => at)
      .toSorted()
      .at(-1);
    expect(GIT.find(({ sha }) => structured.hits[0].key.endsWith(sha))?.at).toBe(last);
    expect(structured.notes).toContain('no field "date": dates are at, due');
    await expect(ask('search', { index: 't', query: '*:*', sort: 'sise' })).rejects.toThrow('sise');
  });

  it('are left out, with the reason, if they lack a field of the call', async () => {
    const index = ['t', 'u'];
    const large = CURL.filter(({ size }) => size > 30);
    for (const input of [
      { query: 'size:>30', sort: 'bytes:desc' },
      { query: 'size:>30', sort: 'bytes:desc', limit: 2 },
    ]) {
      const { structured, text: shown } = await ask('search', { index, ...input });
      expect(structured).toMatchObject({ total: large.length, indexes: [{ total: 0 }, {}] });
      expect(structured.notes).toEqual([
        expect.stringMatching(/^t: left out: .*"bytes".* not in index "t"$/),
      ]);
      expect(shown).toContain(structured.notes[0]);
    }
    const counted = await ask('aggregate', { index, query: 'size:>30', terms: 'bytes' });
    expect(counted.structured).toMatchObject({
      total: large.length,
      indexes: [{ results: {} }, {}],
    });
    expect(counted.text).toContain('t: left out');
    await expect(ask('search', { index, query: 'byts:1' })).rejects.toThrow('"byts"');
    await expect(ask('search', { index, query: '(' })).rejects.toThrow();
  });

  it('show the fields that each has', async () => {
    const input = { index: ['t', 'u'], query: 'leak', fields: ['bytes', 'subject'], limit: 4 };
    const { hits } = (await ask('search', input)).structured;
    expect(hits.map(({ fields }: { fields: JsonObject }) => Object.keys(fields))).toEqual([
      ...[['subject'], ['bytes', 'subject'], ['subject'], ['bytes', 'subject']],
    ]);
    const none = { ...input, fields: ['nothing'] };
    expect((await ask('search', none)).structured.notes).toContain('no field "nothing"');
  });

  it('are choices of the argument, one or an array', async () => {
    const indexes = await lake.library.indexes.list({});
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
    ['size=0', /^size=0: \d+ rows have it \(query size:"0"\): did you mean repo=git,sha=/],
    ['sha=0', /^sha=0: 60 rows begin with it \(query sha:0\*\): did you mean repo=git,sha=\w+ or /],
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

describe('what is equal at the end of a page', () => {
  const sizes = GIT.map(({ size }) => size).sort((a, b) => b - a);

  it('is noted with its count', async () => {
    for (let limit = 1; limit < GIT.length; limit += 3) {
      const order = { index: 't', query: '*:*', sort: 'size:desc', limit };
      const { notes } = (await ask('search', { ...order, filter: 'size:>=0' })).structured;
      const [last, next] = sizes.slice(limit - 1);
      const count = sizes.filter((size) => size === last).length;
      const note = `ties: ${count} rows have size ${last}, as the last one here`;
      expect(notes).toEqual(last === next ? [note] : undefined);
    }
    const all = { index: 't', query: '*:*', sort: 'size:desc,at', limit: 20 };
    expect((await ask('search', all)).structured).not.toHaveProperty('notes');
    const two = { index: 't,u', query: '*:*', sort: 'note', limit: 2 };
    expect((await ask('search', two)).structured.notes).toEqual([
      'ties: more rows have note "seen", as the last one here',
    ]);
  });

  it('is noted of groups, which are as many as requested', async () => {
    const counts = [...Map.groupBy(GIT, ({ size }) => size).values()].map(({ length }) => length);
    counts.sort((a, b) => b - a);
    for (const size of [1, 5, 18, 19, 20, 40, 41, 42]) {
      const { structured } = await ask('aggregate', { index: 't', terms: 'size', size });
      const { buckets, sum_other_doc_count: others = 0 } = structured.results.terms;
      expect(buckets.map(({ doc_count }: JsonObject) => doc_count)).toEqual(counts.slice(0, size));
      expect(others).toBe(counts.slice(size).reduce((sum, count) => sum + count, 0));
      const [last, next] = counts.slice(size - 1);
      const note = `ties: more groups have _count ${last}, as the last one here`;
      expect(structured.notes).toEqual(last === next && last !== undefined ? [note] : undefined);
    }
    const order = { index: 't', terms: 'size', stats: 'size', size: 3, order: 'stats.max:desc' };
    expect((await ask('aggregate', order)).structured).not.toHaveProperty('notes');
  });
});

describe('words in fields that are not searched', () => {
  it.each(['search', 'aggregate'])('are noted: %s', async (tool) => {
    const note = 'words were searched in subject, sha, mail; rows with them in others: remark 7';
    const any = 'in any of them: query "(other OR seen) OR remark:(other OR seen)" has 34';
    const { structured, text: shown } = await ask(tool, { index: 't', query: 'other OR seen' });
    const notes = ['seen finds nothing: remark:seen has 7', `${note}; ${any}`];
    expect(structured).toMatchObject({ total: 30, notes });
    for (const one of notes) expect(shown).toContain(one);
    for (const query of ['subject:seen', '*:*', 'zzz', 'seen', 'leak OR other OR seen']) {
      const { notes = [] } = (await ask(tool, { index: 't', query })).structured;
      expect(notes.join()).not.toContain('words were searched');
    }
  });
});

describe('a question by meaning', () => {
  it('has a note on words that other rows have, but none that its filter leaves', async () => {
    const notesOf = async (more: object) => {
      const input = { index: 't', query: 'fix a leak, leak', mode: 'hybrid', limit: 2, ...more };
      return ((await ask('search', input)).structured.notes ?? []).join('\n');
    };
    const note =
      'no row that passes the filter has "fix" (30 others have it), "leak" (30 others have';
    expect(await notesOf({ filter: 'subject:other' })).toContain(`perhaps weak: ${note} it)`);
    for (const more of [{}, { filter: 'subject:leak' }, { query: 'zzz', filter: 'subject:leak' }]) {
      expect(await notesOf(more)).not.toContain('perhaps');
    }
  });
});

describe('an answer', () => {
  it('groups by an interval by the name of the tool', async () => {
    const aggs = {
      decades: { date_histogram: { field: 'due', interval: 'decade' } },
      weeks: {
        terms: { field: 'note' },
        aggs: { by: { date_histogram: { field: 'at', interval: '7d' } } },
      },
    };
    const { results } = (await ask('aggregate', { index: 't', aggs })).structured;
    const filled = results.decades.buckets.filter(({ doc_count }: JsonObject) => doc_count !== 0);
    expect(filled).toEqual([
      { key: '2010-01-01T00:00:00Z', doc_count: 6 },
      { key: '2990-01-01T00:00:00Z', doc_count: 1 },
    ]);
    expect(results.weeks.buckets[0].aggs.by.buckets.length).toBeGreaterThan(1);
    const flat = { index: 't', histogram: 'due', interval: 'decade' };
    expect((await ask('aggregate', flat)).structured.results.histogram).toEqual(results.decades);
  });

  it('describes rows without a value and dates in the future', async () => {
    const { fields } = (await ask('describe_index', { index: 't' })).structured;
    const of = (name: string) => fields.find((one: JsonObject) => one.name === name).contents;
    expect(of('note')).toEqual({ distinct: 1, values: { seen: 7 }, missing: GIT.length - 7 });
    expect(of('due')).toMatchObject({ max: '2999-01-28T00:00:00Z', missing: 53, future: 1 });
    expect(of('size')).toEqual({ min: 0, max: 40 });
  });
});

describe('rows that the index does not have yet', () => {
  it('are read, and the lag of the index is named', async () => {
    const fresh = { ...GIT[0], sha: 'ffff', subject: 'fresh' };
    await lake.append([fresh]);
    const { structured, text: shown } = await ask('hydrate', {
      index: 't',
      keys: ['repo=git,sha=ffff'],
    });
    expect(structured).toMatchObject({ lag: 1, rows: [{ row: { subject: 'fresh' } }] });
    expect(shown).toMatch(/^1 rows; snapshot \d+ of the table; searches are 1 snapshots behind/);
  });
});
