/** Notes on queries that probably mean something else, and reasons for searches without hits. */
import { appendRows, type Schema, type Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const field = (id: number, name: string, type: Type = { kind: 'string' }) => {
  return { id, name, type, required: false };
};
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { ...field(1, 'id', { kind: 'long' }), required: true },
    field(2, 'title'),
    field(3, 'body'),
    field(4, 'service'),
    field(5, 'severity', { kind: 'long' }),
    field(6, 'details', { kind: 'struct', fields: [field(7, 'kind'), field(8, 'host')] }),
  ],
};
const ROWS = Array.from({ length: 12 }, (_, id) => ({
  id,
  title: id % 2 === 0 ? 'expired certificate' : 'certificate renewed',
  body: `see CVE-2021-${1000 + id} and patch 9.0.${id}`,
  service: ['billing', 'gateway', 'search'][id % 3],
  severity: id % 4,
  details: { kind: 'memory', host: `h${id}` },
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await appendRows(lake.source, { kind: 'rows', rows: ROWS });
  await lake.define(`key: { identifier: [id] }
default_fields: [title, body]
fields:
  - { name: title, type: TEXT }
  - { name: body, type: TEXT }
  - { name: service, type: KEYWORD }
  - { name: severity, type: LONG, fast: true }
variants: [{ column: details, flatten: true }]`);
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

const BILLING_1 = ROWS.filter((row) => row.service === 'billing' && row.severity === 1).length;
const EXPIRED = ROWS.filter(({ title }) => title.includes('expired')).length;

describe('a query with signs of another syntax', () => {
  it.each([
    ['service:billing and severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing, severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing, and severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service=billing AND severity=1', 'service:billing AND severity:1', BILLING_1],
    ['service = billing AND severity == 1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing AND severity>=2', 'service:billing AND severity:>=2', null],
    ['title:expired certificate', 'title:(expired certificate)', null],
    ['title:expired^2 AND not service:search', 'title:expired^2 AND NOT service:search', null],
    ['certificate or patch', 'certificate OR patch', ROWS.length],
  ] as const)('%s: perhaps %s', async (query, meant, total) => {
    const { notes = [] } = await lake.backend.search({ query });
    const [note, ...others] = notes;
    expect(others).toEqual([]);
    expect(note.split(': perhaps you mean ')[1]).toBe(meant);
    const again = await lake.backend.search({ query: meant });
    expect(again.notes).toBeUndefined();
    if (total !== null) expect(again.total).toBe(total);
    const aggs = { n: { cardinality: { field: 'severity' } } };
    expect((await lake.backend.aggregate({ query, aggs })).notes).toEqual(notes);
    expect((await lake.backend.facets({ query, fields: ['service'] })).notes).toEqual(notes);
    expect((await lake.backend.search({ filter: query })).notes).toEqual(notes);
  });

  it.each([
    'service:billing timeout',
    '"rock and roll"',
    'title:(expired and)',
    'and',
    'title:"a, b" severity:1',
    'title:expired, severity:1',
    'a=b',
    'service:billing OR severity:[1 TO 3]',
  ])('but not %s', async (query) => {
    expect(await lake.backend.search({ query })).not.toHaveProperty('notes');
  });

  it('is counted as it is meant', async () => {
    const { total } = await lake.backend.search({ query: 'title:(expired AND certificate)' });
    expect(total).toBe(EXPIRED);
  });
});

describe('a search without hits has the reason', () => {
  const notesFor = async (query: string, more: object = {}) => {
    const { total, notes } = await lake.backend.search({ query, suggest: true, ...more });
    expect(total).toBe(0);
    return notes ?? [];
  };

  it.each(['body:CVE-2021-*', 'body:cve-2021-1?0*', 'body:/cve-2021-.*/'])(
    'a pattern that no word can match: %s',
    async (query) => {
      const [note] = await notesFor(query);
      expect(note).toContain(`no word of body can match ${query}`);
      const phrase = /write (".*"\*?)$/.exec(note)?.[1];
      expect((await lake.backend.search({ query: `body:${phrase}` })).total).toBeGreaterThan(0);
    },
  );

  it.each(['body:9.0.*', 'body:cve*', 'body:pa?ch'])('but words match %s', async (query) => {
    const { total, notes } = await lake.backend.search({ query });
    expect([total, notes]).toEqual([ROWS.length, undefined]);
  });

  it('a path that no row has', async () => {
    expect(await notesFor('details.knd:memory')).toEqual([
      'no row has details.knd, did you mean details.kind?; paths: details.kind, details.host',
    ]);
    expect(await notesFor('details.kind:none')).toEqual([]);
  });

  it('a clause of the filter', async () => {
    const { clauses } = await lake.backend.search({
      ...{ query: 'certificate', filter: 'service:Billing', suggest: true },
    });
    expect(clauses).toMatchObject([
      { clause: 'certificate', total: ROWS.length },
      { clause: 'service:Billing', total: 0, suggestion: 'service:billing', suggestion_total: 4 },
    ]);
  });
});
