/** Notes on queries that probably mean something else, and reasons for searches without hits. */
import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, structOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', title: 'string', body: 'string', service: 'string', severity: 'long' },
  details: structOf(20, { kind: 'string', host: 'string', near: 'string' }),
  ...{ at: 'timestamptz', size: 'long', city: 'string', year: 'string', level: 'string' },
  ...{ seen: 'timestamptz', noon: 'timestamptz', Dose_Group: 'string' },
});
const ROWS = Array.from({ length: 12 }, (_, id) => ({
  id,
  title: id % 2 === 0 ? 'expired certificate' : 'certificate renewed',
  body: `see CVE-2021-${1000 + id} and patch 9.0.${id}`,
  service: ['billing', 'gateway', 'search'][id % 3],
  severity: id % 4,
  level: String(id * 5),
  details: {
    kind: 'memory',
    host: `h${id}`,
    near: `${id} km of ${id % 3 ? 'Nome' : 'Adak'}, Alaska`,
  },
  at: new Date(Date.UTC(2025, 0, 1 + id)).toISOString(),
  seen: new Date(Date.UTC(2025, 5, 1 + (id >> 2), 14, 36, 25, 500)).toISOString(),
  noon: new Date(Date.UTC(2025, 5, 1 + (id >> 2), (id % 4) * 6)).toISOString(),
  Dose_Group: ['0-39g/day', '40-79', '120+', 'none'][id % 4],
  city: ['Springfield', 'Springfield Gardens', 'near Springfield, Ohio', '=Oslo'][id % 4],
  year: ['1790', '1800', 'ancient', '17th'][id % 4],
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [title, body]
fields:
  - { name: title, type: TEXT }
  - { name: body, type: TEXT }
  - { name: service, type: KEYWORD, fast: true }
  - { name: level, type: KEYWORD, fast: true }
  - { name: severity, type: LONG, fast: true }
  - { name: at, type: DATE, fast: true }
  - { name: seen, type: DATE, fast: true }
  - { name: noon, type: DATE, fast: true }
  - { name: Dose_Group, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
  - { name: stems, source: [title, body], type: TEXT, analyzer: english }
  - { name: city, type: TEXT }
  - { name: city_exact, source: city, type: KEYWORD, fast: true }
  - { name: year, type: KEYWORD, fast: true }
variants: [{ column: details, flatten: true }]`);
});
afterAll(() => lake.close());

const BILLING_1 = ROWS.filter((row) => row.service === 'billing' && row.severity === 1).length;
const BILLING_PATCH = ROWS.filter(
  (row) => row.service === 'billing' && `${row.title} ${row.body}`.includes('patch'),
).length;
const EXPIRED = ROWS.filter(({ title }) => title.includes('expired')).length;

describe('a query with signs of another syntax', () => {
  it.each([
    [
      "service = 'billing' AND title = 'expired certificate'",
      'service:"billing" AND title:"expired certificate"',
    ],
    ["service = 'billing team' AND severity = 0", 'service:"billing team" AND severity:0'],
    ["title = 'expired certificate'", 'title:"expired certificate"'],
  ])('is read in one way: %s', async (query, meant) => {
    const { notes } = await lake.backend.search({ query, suggest: true });
    expect(notes).toEqual([expect.stringContaining(`: perhaps you mean ${meant} (`)]);
  });

  it('is answered by its clauses where its other reading has no rows', async () => {
    const query = 'service:biling AND severity=1';
    const { notes, ...found } = await lake.backend.search({ query, suggest: true });
    expect(notes).toHaveLength(1);
    expect(found).toMatchObject({
      total: 0,
      suggested_query: 'service:billing AND severity:1',
      suggested_total: BILLING_1,
    });
  });

  it.each([
    ['service:billing and severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing, severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing, and severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service=billing AND severity=1', 'service:billing AND severity:1', BILLING_1],
    ['service = billing AND severity == 1', 'service:billing AND severity:1', BILLING_1],
    ['service=billing severity=1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing AND severity>=2', 'service:billing AND severity:>=2', null],
    ['title:expired certificate', 'title:(expired certificate)', null],
    ['not service:search', 'NOT service:search', 8],
    ['certificate and not renewed', 'certificate AND NOT renewed', EXPIRED],
    ['title:expired^2 AND not service:search', 'title:expired^2 AND NOT service:search', null],
    ['certificate or patch', 'certificate OR patch', ROWS.length],
    ['title = "expired certificate"', 'title:"expired certificate"', EXPIRED],
    ["title LIKE '%expire%'", 'title:*expire*', EXPIRED],
    ["title NOT LIKE 'expired cert%'", '-title:"expired cert"', null],
    ["Title LIKE '%expire%'", 'title:*expire*', EXPIRED],
    ['SERVICE = "billing" AND Severity = 1', 'service:"billing" AND severity:1', BILLING_1],
    ["service in ('billing', gateway)", 'service:("billing" OR gateway)', 8],
    ['severity NOT IN (0,1)', '-severity:(0 OR 1)', 6],
    ['severity BETWEEN 1 AND 2 AND service:billing', 'severity:[1 TO 2] AND service:billing', 2],
    ['size IS NULL', '-size:*', ROWS.length],
    ['service IS NOT NULL', 'service:*', ROWS.length],
    ['service:null', '-service:*', 0],
    ['severity:1 TO 2', 'severity:[1 TO 2]', 6],
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
    'severity:>2 OR severity:<1',
    'severity:<1 service:billing severity:>2',
    'certificate in (title)',
    'not renewed --operator certificate',
    'certificate not renewed',
    'certificate is null',
  ])('but not %s', async (query) => {
    expect(await lake.backend.search({ query })).not.toHaveProperty('notes');
  });

  it.each([
    ['_exists_:service', 'service:*'],
    ['_missing_:service', '-service:*'],
    ['severity:null', '-severity:*'],
    ['severity:1..3', 'severity:[1 TO 3]'],
    ['severity <> 3', '-severity:3'],
    ['not severity >= 3', 'NOT severity:>=3'],
    ['severity >= 2 and service:billing', 'severity:>=2 AND service:billing'],
    ['NOT _exists_:service', 'NOT service:*'],
    ['severity:1-3', 'severity:[1 TO 3]'],
    ['severity:1,3', 'severity:(1 OR 3)'],
    ['severity:1,3000', 'severity:(1 OR 3000)'],
    ['size:200,000,000', 'size:200000000'],
    ['size:$200,000,000', 'size:200000000'],
    ['severity:(1 TO 3)', 'severity:[1 TO 3]'],
    ['severity > 2', 'severity:>2'],
    ['severity > 0 Severity < 3', 'severity:>0 AND severity:<3'],
    ['severity >= 2 AND service:billing', 'severity:>=2 AND service:billing'],
    ['service in ("billing", "search")', 'service:("billing" OR "search")'],
    ['<none> AND patch', '"<none>" AND patch'],
    ['body:<none>', 'body:"<none>"'],
    ['>patch', '">patch"'],
    ['severity:[1,3]', 'severity:[1 TO 3]'],
    ['severity:{1..3]', 'severity:{1 TO 3]'],
    ['at:[2025-01-01 2025-01-03] AND body:x', 'at:[2025-01-01 TO 2025-01-03] AND body:x'],
    ['service:/p/1*', 'service:\\/p/1*'],
    ['title:/p/1*', 'title:"/p/1"*'],
    ['{"match": {"title": "expired"}}', 'title:expired'],
    ['{"query": {"match": {"title": {"query": "a b", "operator": "and"}}}}', 'title:a AND title:b'],
    [
      '{"bool": {"must": {"term": {"service": "billing"}}, "must_not": [{"range": {"severity": ' +
        '{"gte": 2}}}]}}',
      'service:billing AND NOT severity:[2 TO *]',
    ],
    ['{"query": {"bool": {"filter": [{"range": {"severity": {"gte": 2}}}]}}}', 'severity:[2 TO *]'],
    [
      '{"bool": {"must": {"match": {"title": "expired"}}, "filter": {"term": {"service": ' +
        '"billing"}}}}',
      'title:expired AND service:billing',
    ],
    [
      '{"query_string": {"query": "expired OR a", "default_field": "title"}}',
      'title:expired OR title:a',
    ],
    ['{"query_string": {"query": "service:billing AND title:a"}}', 'service:billing AND title:a'],
    [
      '{"multi_match": {"query": "expired", "fields": ["title^2", "body"]}}',
      'title:expired OR body:expired',
    ],
    ['{"terms": {"service": ["billing", "search"]}}', 'service:("billing" OR "search")'],
    ['{"exists": {"field": "title"}}', 'title:*'],
    ['{"match_all": {}}', '*:*'],
  ])('is the way out of an error: %s', async (query, meant) => {
    const hint = expect.stringContaining(`perhaps you mean ${meant}`);
    const details = { suggested_query: meant };
    await expect(lake.backend.search({ query })).rejects.toMatchObject({ hint, details });
    const { notes, total } = await lake.backend.search({ query: meant });
    expect(notes).toBeUndefined();
    const end = `perhaps you mean ${meant} (${total} hit${total === 1 ? '' : 's'})`;
    for (const request of [{ query }, { filter: query }]) {
      const counted = lake.backend.search({ ...request, suggest: true });
      await expect(counted).rejects.toMatchObject({ hint: expect.stringContaining(end), details });
    }
  });

  it.each([
    '{"knn": {"field": "title"}}',
    '{"match": {"title": "a"}, "size": 1}',
    '{"query_string": {"query": "a b", "default_operator": "AND"}}',
    '{"multi_match": {"query": "a b", "fields": ["title"], "type": "phrase"}}',
  ])('names the query tree for JSON that no query string can say: %s', async (query) => {
    await expect(lake.backend.search({ query })).rejects.toMatchObject({
      message: 'JSON is no query string',
      hint: 'write clauses such as title:fox; a query tree goes into "ast" of a request',
    });
  });

  it.each(['severity:[1,x]', 'severity:1,x', 'severity > x', 'other > 3', 'title:[a,b]', '{a'])(
    'is no way out that fails: %s',
    async (query) => {
      const error = await lake.backend.search({ query, suggest: true }).catch((fault) => fault);
      expect(error).toMatchObject({ code: 'invalid_query' });
      expect(`${error.hint}`).not.toContain('perhaps');
    },
  );

  it.each([
    ['"certificate', '"certificate"', ROWS.length],
    ['service:billing AND "expired certificate', 'service:billing AND "expired certificate"', 2],
    ['service:(billing OR', 'service:(billing)', 4],
    ['"expired certificate" AND', '"expired certificate"', EXPIRED],
    ['AND expired', 'expired', EXPIRED],
    ['"severity > 3', '"severity > 3"', 0],
  ])(
    'without its end is suggested with it: %s',
    async (query, suggested_query, suggested_total) => {
      const error = await lake.backend.search({ query, suggest: true }).catch((fault) => fault);
      expect(error.details).toMatchObject({ suggested_query, suggested_total });
      expect(error.hint).toContain(`perhaps you mean ${suggested_query} (${suggested_total} hits)`);
      expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
    },
  );

  it.each([
    ['severity > x', '"x" is not a value of field "severity" (LONG)'],
    ["title <> 'fox' AND severity:3", `"title <> 'fox'" is no clause of the query syntax`],
    ['Title >= 5', 'a range needs a fast field: "title" is TEXT without fast'],
  ])('is no clause with the fault of its range: %s', async (query, message) => {
    await expect(lake.backend.search({ query })).rejects.toMatchObject({ message });
  });

  it('is the suggested query of a search with hits, with its total', async () => {
    const query = 'title = "expired certificate"';
    const meant = 'title:"expired certificate"';
    const { notes, total, suggested_query } = await lake.backend.search({ query, suggest: true });
    const note = `"${query}" is searched as words: perhaps you mean ${meant} (${EXPIRED} hits)`;
    expect([total, notes, suggested_query]).toEqual([EXPIRED, [note], meant]);
    const filtered = await lake.backend.search({ filter: query, suggest: true });
    expect(filtered.notes).toEqual([note]);
    expect(filtered).not.toHaveProperty('suggested_query');
  });

  it.each([
    ['service = billing AND severity = 1', 'service:billing AND severity:1', BILLING_1],
    ['service = billing and severity = 1', 'service:billing AND severity:1', BILLING_1],
    ['service IS NOT NULL AND level = 5', 'service:* AND level:5', 1],
    ['size IS NULL AND level = 5', '-size:* AND level:5', 1],
    ['"Details Kind":memory', 'details.kind:memory', 12],
    ["details->>'kind' = memory", 'details.kind:memory', 12],
    ['"SEVERITY" :>2 AND service:*', 'severity:>2 AND service:*', 3],
  ])('is the suggested query of a search without hits, too: %s', async (query, meant, total) => {
    const found = await lake.backend
      .search({ query, suggest: true })
      .catch(({ details }) => details);
    expect(found.suggested_query).toBe(meant);
    expect((await lake.backend.search({ query: meant })).total).toBe(total);
  });

  it('finds rows with either half of a range, and says so', async () => {
    const query = 'severity:>0 severity:<2';
    const { notes, total } = await lake.backend.search({ query });
    expect(total).toBe(ROWS.length);
    const meant = 'severity:>0 AND severity:<2';
    expect(notes).toEqual([`either of "${query}" is enough: perhaps you mean ${meant}`]);
    expect((await lake.backend.search({ query: meant })).total).toBe(3);
    expect(await lake.backend.search({ query, default_operator: 'and' })).not.toHaveProperty(
      'notes',
    );
  });

  it('sorts numbers in a KEYWORD as texts, and says so', async () => {
    const sorted = async (field: string) => lake.backend.search({ sort: [{ field }], limit: 12 });
    const { notes, hits } = await sorted('level');
    expect(hits.map(({ sort }) => sort?.[0])).toEqual(ROWS.map(({ level }) => level).toSorted());
    const why = 'level is a KEYWORD, in which "10" is before "9"';
    const way =
      'if its values are numbers, none with leading zeros: ' +
      'import column "level" of table "a.t" as double';
    expect(notes).toEqual([`the sort by level compares texts: ${why}; ${way}`]);
    expect(await sorted('service')).not.toHaveProperty('notes');
    expect(await sorted('severity')).not.toHaveProperty('notes');
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

  it('a pattern that no word of several fields can match, in one note', async () => {
    const why = ' can match CVE-2021-*, as words end inside it: write "cve-2021"';
    expect(await notesFor('CVE-2021-*')).toEqual([`no word of title, body${why}`]);
  });

  it.each([
    ['CVE-2021-*', '"CVE-2021"', 12],
    ['body:cve-2021-100* AND service:billing', 'body:"cve-2021-100"* AND service:billing', 4],
    ['body:CVE-2021-* AND severity:3', 'body:"CVE-2021" AND severity:3', 3],
  ])('and the phrase that does: %s', async (query, suggested_query, suggested_total) => {
    const found = await lake.backend.search({ query, suggest: true });
    expect(found).toMatchObject({ total: 0, suggested_query, suggested_total });
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
  });

  it.each(['body:9.0.*', 'body:cve*', 'body:pa?ch'])('but words match %s', async (query) => {
    const { total, notes } = await lake.backend.search({ query });
    expect([total, notes]).toEqual([ROWS.length, undefined]);
  });

  it('a path that no row has', async () => {
    expect(await notesFor('details.knd:memory')).toEqual([
      'no row has details.knd, did you mean details.kind?; paths: ' +
        'details.kind, details.host, details.near',
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

describe('a number or values of another syntax', () => {
  it.each([
    ['1..2', 'severity:[1 TO 2]', 6],
    ['2-3', 'severity:[2 TO 3]', 6],
    ['2025', 'at:2025', 12],
    ['service:billing,search', 'service:(billing OR search)', 8],
    ['service:billing|search', 'service:(billing OR search)', 8],
    ['title:expired,renewed', 'title:(expired OR renewed)', 12],
    ['expired,renewed', '(expired OR renewed)', 12],
    ['service:billing AND 1003|1001', 'service:billing AND (1003 OR 1001)', 1],
  ])('is found as it was meant: %s', async (query, meant, hits) => {
    const { total, suggested_query } = await lake.backend.search({ query, suggest: true });
    expect([total, suggested_query]).toEqual([0, meant]);
    expect((await lake.backend.search({ query: meant })).total).toBe(hits);
  });
});

describe('clauses of fields side by side', () => {
  const search = (query: string, more: object = {}) =>
    lake.backend.search({ query, suggest: true, ...more });

  it.each([
    ['service:billing  severity:1', 'service:billing AND severity:1', BILLING_1],
    ['service:billing patch', 'service:billing AND patch', BILLING_PATCH],
    ['title:expired severity:>1 body:patch', 'title:expired AND severity:>1 AND body:patch', 3],
  ])('say what they find with AND: %s', async (query, meant, hits) => {
    const { total, notes, ...found } = await search(query);
    expect([found.suggested_query, found.suggested_total]).toEqual([meant, hits]);
    const note = `one clause of "${query}" is enough: perhaps you mean ${meant} (${hits} hit`;
    expect(notes).toEqual([`${note}${hits === 1 ? '' : 's'})`]);
    expect(total).toBeGreaterThan(hits);
    expect((await search(meant)).total).toBe(hits);
    expect(await search(query, { default_operator: 'and' })).not.toHaveProperty('notes');
  });

  it.each([
    'service:billing OR severity:1',
    'service:billing service:search',
    'service:billing +severity:1',
    'service:billing -severity:1',
    'service:billing severity:9',
  ])('but not %s', async (query) => {
    expect(await search(query)).not.toHaveProperty('suggested_query');
  });
});

describe('a clause of a field that finds nothing beside one that has hits', () => {
  const EXPIRED_BILLING = ROWS.filter((row) => {
    return row.service === 'billing' && row.title.includes('expired');
  }).length;

  it.each([
    ['service:Billing expired', 'service:billing', 'service:billing AND expired', EXPIRED_BILLING],
    ['expired service:biling', 'service:billing', 'expired AND service:billing', EXPIRED_BILLING],
    ['title:expird 9.0.1', 'title:expired', 'title:expired 9.0.1', EXPIRED + 1],
  ])('%s: %s', async (query, clause, meant, hits) => {
    const { notes, ...found } = await lake.backend.search({ query, suggest: true });
    const { total } = await lake.backend.search({ query: clause });
    const [wrong = ''] = query.split(' ').filter((one) => one.includes(':'));
    const said = `${wrong} finds nothing: ${clause} has ${total}`;
    expect(found).toMatchObject({ suggested_query: meant, suggested_total: hits });
    expect(notes).toEqual([said, `perhaps you mean ${meant} (${hits} hits)`]);
    expect((await lake.backend.search({ query: meant })).total).toBe(hits);
  });

  it.each([
    ['service:qqqq expired', 'service:qqqq finds nothing: values of service: '],
    ['severity:99 expired', 'severity:99 finds nothing: values of severity are from 0 to 3'],
    ['expired at:2031', 'at:2031 finds nothing: values of at are from 2025-01-01'],
    ['body:qqqq expired', 'body:qqqq finds nothing'],
    ['size:5 expired', 'size:5 finds nothing: no row has a value of size'],
  ])('%s: %s', async (query, note) => {
    const found = await lake.backend.search({ query, suggest: true });
    expect(found).not.toHaveProperty('suggested_query');
    expect(found.notes?.at(-1)).toContain(note);
  });
});

describe('a text with a colon', () => {
  it.each([
    ['CVE:2021', '"CVE:2021"', ROWS.length],
    ['CVE:2021 AND service:billing', '"CVE:2021" AND service:billing', 4],
    ['CVE:2021 AND cve:2021 ', '"CVE:2021" AND "cve:2021" ', ROWS.length],
  ])('is the phrase: %s', async (query, meant, total) => {
    for (const request of [{ query }, { filter: query }]) {
      const error = await lake.backend.search({ ...request, suggest: true }).catch((e) => e);
      expect(error.details).toEqual({ suggested_query: meant, suggested_total: total });
      expect(error.hint).toContain(`perhaps you mean ${meant} (${total} hits)`);
      expect(error.hint).toContain('fields: title, ');
      expect(error.next).toEqual([{ step: 'describe_index', index: 't' }]);
    }
    expect((await lake.backend.search({ query: meant })).total).toBe(total);
  });

  it.each([
    ['see~CVE-2021', '"see~CVE-2021"', ROWS.length],
    ['see^CVE AND service:billing', '"see^CVE" AND service:billing', 4],
    ['body:CVE[2021]', 'body:"CVE[2021]"', ROWS.length],
  ])('is quoted as one with another sign: %s', async (query, meant, total) => {
    for (const request of [{ query }, { filter: query }]) {
      const error = await lake.backend.search({ ...request, suggest: true }).catch((e) => e);
      expect(error.details).toEqual({ suggested_query: meant, suggested_total: total });
      expect(error.hint).toMatch(new RegExp(`.+: perhaps you mean .*\\(${total} hits\\)$`));
    }
    expect((await lake.backend.search({ query: meant })).total).toBe(total);
  });

  it('is no phrase that finds nothing', async () => {
    const request = { query: 'nothing:here', suggest: true };
    const error = await lake.backend.search(request).catch((fault) => fault);
    expect([error.code, error.details]).toEqual(['invalid_query', {}]);
  });
});

describe('a number with other signs', () => {
  it.each([
    ['severity:>$1', 'severity:>1', 6],
    ['size:<=1,000,000 OR severity:3', 'size:<=1000000 OR severity:3', 3],
    ['severity:[$0 TO 1,000]', 'severity:[0 TO 1000]', 12],
    ['severity:[0 TO 1e3]', 'severity:[0 TO 1000]', 12],
    ['severity > 0.002k', 'severity:>2', 3],
    ["size:1'000", 'size:1000', 0],
  ] as const)('%s: %s', async (query, meant, total) => {
    const search = lake.backend.search({ query, suggest: true });
    await expect(search).rejects.toMatchObject({
      hint: expect.stringMatching(`perhaps you mean .* \\(${total} hits\\)`),
      details: { suggested_query: meant, suggested_total: total },
    });
  });

  it.each(['severity:many', 'severity:1.5', 'severity:$', 'severity:1.2.3'])(
    'is none: %s',
    async (query) => {
      await expect(lake.backend.search({ query, suggest: true })).rejects.not.toMatchObject({
        hint: expect.stringContaining('perhaps'),
      });
    },
  );
});

describe('conditions of SQL', () => {
  it.each([
    ['"Dose Group" = none', 'Dose_Group:none', 3],
    ["[dose group] = 'none' AND severity = 3", 'Dose_Group:"none" AND severity:3', 3],
    ['`severity` > 2', 'severity:>2', 3],
    ['severity $ > 2', 'severity:>2', 3],
    ['servce = billing', 'service:billing', 4],
  ] as const)('%s: %s', async (query, meant, total) => {
    const answer = await lake.backend.search({ query, suggest: true }).catch((error) => error);
    const { suggested_query } = answer instanceof LhsError ? answer.details : answer;
    expect(suggested_query).toBe(meant);
    expect((await lake.backend.search({ query: meant })).total).toBe(total);
  });

  it('name a field that the index lacks', async () => {
    const { notes } = await lake.backend.search({ query: 'service = billing AND foo = 3' });
    expect(notes).toContain('"foo = 3" is searched as words: no field is "foo"');
  });

  it.each([
    ['service = billing and foo = 3', ['service:billing']],
    ['foo = 3 and bar = 4 and service = billing', ['service:billing']],
    ['service:billing and not foo = 3', ['service:billing']],
    ['service = billing and sevrity = 77', ['service:billing AND severity:77', 'service:billing']],
  ])('are left out of %s if the index lacks their field', async (query, meant) => {
    const { notes = [], ...found } = await lake.backend.search({ query, suggest: true });
    const billing = ROWS.filter(({ service }) => service === 'billing').length;
    const texts = meant.map((one) => `${one} (${one === meant.at(-1) ? billing : 0} hits)`);
    expect(notes[0]).toMatch(/ is searched as words/);
    expect(notes[0].endsWith(`: perhaps you mean ${texts.join(' or ')}`)).toBe(true);
    expect(found).toMatchObject({ suggested_query: meant.at(-1), suggested_total: billing });
  });
});

describe('a date that is its first instant', () => {
  it.each([
    ['seen:2025-06-02', 'seen:2025-06-02/d', 4],
    ['seen:2025-06-02T14:36', 'seen:2025-06-02T14:36/m', 4],
    ['seen:2025-06-02T16:36:25+02:00', 'seen:2025-06-02T16:36:25+02:00/s', 4],
    ['seen:"2025-06-02 14:36"', 'seen:"2025-06-02 14:36/m"', 4],
    ['seen:<=2025-06-01', 'seen:[* TO 2025-06-01/d]', 4],
    ['seen:[2025-06-01 TO 2025-06-01]', 'seen:[2025-06-01 TO 2025-06-01/d]', 4],
    ['service:billing AND seen:2025-06-02', 'service:billing AND seen:2025-06-02/d', 1],
  ])('%s: %s', async (query, meant, hits) => {
    const { total, ...found } = await lake.backend.search({ query, suggest: true });
    expect([total, found.suggested_query, found.suggested_total]).toEqual([0, meant, hits]);
    const clause = meant.replace(/^.* AND /, '');
    expect(found.notes).toEqual([`a date is its first instant: ${clause} takes all of it`]);
    expect((await lake.backend.search({ query: meant })).total).toBe(hits);
  });

  it.each([
    ['noon:2025-06-02', 'noon:2025-06-02/d', 4],
    ['noon:"2025-06-02"', 'noon:"2025-06-02/d"', 4],
    ['noon:[2025-06-02 TO 2025-06-02]', 'noon:[2025-06-02 TO 2025-06-02/d]', 4],
    ['noon:2025-06-02 AND service:search', 'noon:2025-06-02/d AND service:search', 1],
  ])('and has rows, but the period has more: %s', async (query, meant, hits) => {
    const found = await lake.backend.search({ query, suggest: true });
    expect([found.suggested_query, found.suggested_total]).toEqual([meant, hits]);
    expect((await lake.backend.search({ query: meant })).total).toBe(hits);
    const clause = meant.replace(/ AND .*/, '');
    const note = `a date is its first instant: ${clause} takes all of it`;
    expect(found.notes).toEqual([`${note} (4 hits)`]);
    const facets = { query, fields: ['service'], suggest: true } as const;
    expect(await lake.backend.facets(facets)).toMatchObject({ suggested_query: meant });
  });

  it('and has all rows of its day', async () => {
    const found = await lake.backend.search({ query: 'at:2025-01-05', suggest: true });
    expect([found.total, found.notes, found.suggested_query]).toEqual([1, undefined, undefined]);
  });

  it('is a day as a bare word too', async () => {
    const { suggested_query } = await lake.backend.search({ query: '2025-06-02', suggest: true });
    expect(suggested_query).toBe('seen:2025-06-02/d');
  });

  it('is a period in vain where no row has it', async () => {
    const query = 'seen:2025-07-02';
    const { suggested_query, notes } = await lake.backend.search({ query, suggest: true });
    expect([suggested_query, notes]).toEqual([undefined, [expect.stringMatching(/^values of/)]]);
  });
});

describe('clauses of a search without hits', () => {
  const clausesOf = async (request: object) => {
    const { total, clauses = [] } = await lake.backend.search({ ...request, suggest: true });
    expect(total).toBe(0);
    return clauses.map(({ clause, total_without }) => [clause, total_without]);
  };
  const of = (matches: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(matches).length;

  it('have what the others find', async () => {
    const [service, title, id] = ['service:billing', 'title:renewed', 'body:"patch 9.0.8"'];
    expect(await clausesOf({ query: `${service} AND (${title}^2 AND ${id}) OR x` })).toEqual(
      [service, title, id, 'x'].map((clause) => [clause, undefined]),
    );
    expect(await clausesOf({ query: `${service} AND (${title}^2 AND ${id})` })).toEqual([
      [service, undefined],
      [title, undefined],
      [id, of((row) => row.service === 'billing' && row.title.includes('renewed'))],
    ]);
    expect(
      await clausesOf({ query: `${service} -severity:0`, filter: `${title} AND ${id}` }),
    ).toEqual([
      [service, undefined],
      [title, undefined],
      [id, of((row) => row.service === 'billing' && row.id % 2 === 1 && row.severity > 0)],
    ]);
  });

  it.each([
    ['severity:9', 'values of severity are from 0 to 3'],
    ['severity:>=4', 'values of severity are from 0 to 3'],
    ['at:>=now-7d', 'values of at are from 2025-01-01T00:00:00Z to 2025-01-12T00:00:00Z'],
    ['size:>1', 'no row has a value of size'],
  ])('have the range of the values of their field: %s', async (query, note) => {
    const { notes } = await lake.backend.search({ query, suggest: true });
    expect(notes).toEqual([note]);
  });
});

describe('a phrase that looks like code', () => {
  it.each(['stems:"np.float"', 'stems:"--force-with-lease"', 'stems:"a::b c"'])(
    'is compared by stems, and says so: %s',
    async (query) => {
      const { notes = [] } = await lake.backend.search({ query });
      const [, phrase] = query.split(/:(.*)/);
      expect(notes).toEqual([
        `${phrase} is compared by stems of words, without signs: other forms match too`,
      ]);
    },
  );

  it.each([
    'stems:"memory leak"',
    'stems:"well-known, isn\'t it?"',
    'stems:"9.0"',
    'body:"np.float"',
  ])('but %s is prose, or has no stems', async (query) => {
    expect(await lake.backend.search({ query })).not.toHaveProperty('notes');
  });
});

describe('a pattern on stems', () => {
  const search = (query: string, more: object = {}) =>
    lake.backend.search({ query, suggest: true, ...more });

  it.each([
    ['stems:certificate*', 'stems:certificate'],
    ['stems:*certificate*', 'stems:certificate'],
    ['stems:certificates*', 'stems:certificates'],
  ])('%s finds less than its word', async (query, word) => {
    const { total, notes, suggested_query } = await search(query);
    expect([total, suggested_query]).toEqual([0, word]);
    expect((await search(word)).total).toBe(ROWS.length);
    const note = `patterns are compared with stems of words: ${query} finds 0, ${word} 12`;
    expect(notes).toEqual([note]);
    const { notes: others } = await search(`${query} OR body:see`);
    expect(others).toEqual([note]);
    expect((await search('body:see', { filter: `${query} OR body:see` })).notes).toEqual([note]);
    expect((await search(`${query} AND service:billing AND severity:1`)).suggested_query).toBe(
      `${word} AND service:billing AND severity:1`,
    );
  });

  it.each(['stems:certif*', 'stems:patch*', 'body:patch*', 'stems:pa*h', 'stems:/pat.*/'])(
    'but not %s',
    async (query) => {
      expect(await search(query)).not.toHaveProperty('notes');
    },
  );
});

describe('a word in whole values', () => {
  const search = (query: string) => lake.backend.search({ query, suggest: true });

  it.each([
    ['details.near:Alaska', 'details.near:*Alaska*', 12],
    ['details.near:adak', 'details.near:*Adak*', 4],
    ['details.near:"nome, alaska"', 'details.near:*Nome,\\ Alaska*', 8],
    ['Dose_Group:g/day', 'Dose_Group:*g/day*', 3],
    ['city_exact:Gardens', 'city_exact:*Gardens*', 3],
  ])('%s: %s', async (query, suggested_query, total) => {
    const found = await search(query);
    const [field] = query.split(':');
    expect(found).toMatchObject({ total: 0, suggested_query });
    expect(found.notes).toEqual([
      `${field} compares whole values: ${suggested_query} finds words in them`,
    ]);
    expect((await search(suggested_query)).total).toBe(total);
  });

  it('is no part of a word', async () => {
    expect((await search('details.near:lask')).suggested_query).toBeUndefined();
  });
});

describe('the name of a field in words', () => {
  it.each([
    ['Dose Group:none', 'Dose_Group:none', 3],
    ['service:billing AND dose group:none', 'service:billing AND Dose_Group:none', 1],
    ['expired dose group:none', 'expired Dose_Group:none', 9],
    ['dose group = none', 'Dose_Group:none', 3],
    ['dose_group > 120', 'Dose_Group:>120', 9],
  ])('%s: %s', async (query, meant, total) => {
    const answer = lake.backend.search({ query, suggest: true });
    const { details, hint, notes } = await answer.catch((fault) => fault);
    const says = hint ?? notes.join();
    expect(says).toContain(`perhaps you mean ${meant} (${total} hit`);
    const suggested = { suggested_query: meant, suggested_total: total };
    if (details !== undefined) expect(details).toEqual(suggested);
    expect((await lake.backend.search({ query: meant })).total).toBe(total);
  });
});

describe('an equals sign before a value', () => {
  const search = async (query: string) => {
    const { total, notes = [] } = await lake.backend.search({ query });
    return [total, ...notes];
  };

  it('asks for the whole value, as a KEYWORD has it', async () => {
    const note = 'compares whole values: those of city_exact';
    expect(await search('city:=Springfield')).toEqual([3, `city:=Springfield ${note}`]);
    expect(await search('city:==Springfield')).toEqual([3, `city:==Springfield ${note}`]);
    expect(await search('city_exact:=Springfield')).toEqual([3]);
    expect(await search('city_exact:=Oslo')).toEqual([3]);
    expect(await search('city_exact:(=Springfield OR =Oslo)')).toEqual([6]);
    expect(await search('details.kind:=memory')).toEqual([12]);
    expect(await search('severity:=1')).toEqual([3]);
  });

  it('is said not to count where no field has whole values', async () => {
    const note = 'title:=expired finds words of title: no field has its whole values';
    expect(await search('title:=expired')).toEqual([EXPIRED, note]);
  });

  it('is part of the value behind a backslash', async () => {
    expect(await search('city_exact:\\=Springfield')).toEqual([0]);
    expect(await search('city:Springfield')).toEqual([9]);
  });
});

describe('a range of numbers on texts', () => {
  it.each(['year:[1700 TO 1799]', 'year:>=1700'])('says so: %s', async (query) => {
    const { total, notes = [] } = await lake.backend.search({ query, suggest: true });
    const others = query.includes('>') ? 6 : 0;
    expect(total).toBe(query.includes('>') ? 12 : 3);
    expect(notes[0]).toContain(`the range ${query} compares texts`);
    const values = 'values of year: 1790, 17th, 1800, ancient';
    const note = `${others} rows in the range have no number as year; ${values}`;
    expect(notes.slice(1)).toEqual(others === 0 ? [] : [note]);
  });
});

describe('an unknown field', () => {
  it.each([
    ['date', 'at'],
    ['created_date', 'at'],
    ['detail_rows', 'details'],
    ['serviceName', 'service'],
    ['TITLE', 'title'],
  ])('%s is probably %s', async (name, meant) => {
    const error = await lake.backend.search({ sort: [{ field: name }] }).catch((fault) => fault);
    expect(error.hint).toContain(`did you mean "${meant}"?`);
  });

  it.each([
    ['headline', 'title'],
    ['host', 'details.host'],
  ])('%s in a query is probably %s', async (name, meant) => {
    const error = await lake.backend.search({ query: `${name}:x` }).catch((fault) => fault);
    expect(error.hint).toContain(`did you mean "${meant}"?`);
  });

  it('is named with all others of the request', async () => {
    const request = { query: 'host:x AND title:y', sort: [{ field: 'date' }], fields: ['unknown'] };
    const error = await lake.backend.search(request).catch((fault) => fault);
    expect(error.message).toBe(
      'these fields are not in index "t": "host" (the query), "date" (sort), "unknown" (fields)',
    );
    expect(error.hint).toMatch(
      /^did you mean "details.host" for "host", "at" for "date"\?\nfields:/,
    );
  });

  it('without a likeness is nothing', async () => {
    const error = await lake.backend.search({ query: 'unknown:1' }).catch((fault) => fault);
    expect(error.hint).toMatch(/^fields: /);
  });
});

describe('any query', () => {
  const parts = [
    ...['expired', 'billing', 'nothing', 'cert*', '"patch 9.0"', 'exprired~1', 'CVE-2021-*'],
    ...['service:billing', 'severity:>1', 'at:2025-01-05', 'level:10', 'details.kind:memory'],
    ...['severity:[1 TO 2]', 'nope:x', 'year:1790', '_exists_:size', 'city:Springfield', '2025'],
    ...['AND', 'OR', 'NOT', 'and', '-', '+', '(', ')', '=', '>', 'BETWEEN', 'IN', '..', '{', '"'],
  ];
  const texts = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 })
    .map((some) => some.join(' '));

  it('has no note on a month', async () => {
    const { total, notes } = await lake.backend.search({ query: 'at:2025-01', suggest: true });
    expect([total, notes]).toEqual([ROWS.length, undefined]);
  });

  it.each(['expired billing AND renewed', 'severity:1 OR service:billing AND expired'])(
    'has notes: %s',
    async (query) => {
      expect((await lake.backend.search({ query, suggest: true })).total).toBeGreaterThan(0);
    },
  );

  it('has notes or is refused by name', async () => {
    const check = async (query: string, default_operator: 'and' | 'or') => {
      const request = { query, default_operator, suggest: true, limit: 1 };
      const code = await lake.backend.search(request).then(
        () => 'found',
        (error: { code: string }) => error.code,
      );
      expect(['found', 'invalid_query', 'invalid_argument', 'limit_exceeded']).toContain(code);
    };
    const operators = fc.constantFrom('and' as const, 'or' as const);
    await fc.assert(fc.asyncProperty(texts, operators, check), { numRuns: 300 });
  });
});
