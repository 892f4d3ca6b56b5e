/** A clause without hits names what was probably meant, and the fields that contain its word. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, structOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', last: 'string', kind: 'string', emoji: 'string', body: 'string' },
  stems: 'string',
  addr: structOf(100, { city: 'string', floor: 'long' }),
  ...{ release: 'string', made: 'date' },
});
const ROWS = [
  ['Ruth', 'Food & Drink', '😀', 'slow services', 'slow services', 'München'],
  ['Ruth', 'Food & Drink', '❤️', 'Zürich', 'running', 'Köln'],
  ['Guth', 'food chain', '🍕', 'Ångström', 'strasse', 'Ærø'],
  ['İnönü', 'Straße', '', 'ruth was here', 'houses', 'Zürich'],
  ['ruts', 'C++ (old)', 'a', 'quick', 'quick', 'ZÜRICH'],
];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = ROWS.map(([last, kind, emoji, body, stems, city], id) => {
    const release = `${20 + id}.04${id % 2 === 0 ? ' LTS' : ''}`;
    const made = `${2003 + (id >> 1)}-05-0${id + 1}`;
    return { id, last, kind, emoji, body, stems, addr: { city, floor: id }, release, made };
  });
  await lake.create(schema, { rows });
  await lake.build(`key: { identifier: [id] }
default_fields: [body^2, stems, release]
fields:
  - { name: body, type: TEXT }
  - { name: stems, type: TEXT, analyzer: english }
  - { name: last, type: KEYWORD }
  - { name: kind, type: KEYWORD }
  - { name: emoji, type: KEYWORD }
  - { name: release, type: KEYWORD }
  - { name: made, type: DATE }
  - { name: id, type: LONG }
variants:
  - column: addr
    flatten: true
    shapes: [{ name: typed, fields: [{ path: floor, type: LONG }] }]`);
});
afterAll(() => lake.close());

const counts = (query: string) => lake.backend.clauseCounts({ query });
const total = async (query: string) => (await lake.backend.search({ query })).total;

describe('a clause without hits', () => {
  it.each([
    ['last:ruth', 'last:Ruth', 2],
    ['last:RUTH', 'last:Ruth', 2],
    ['last:"rUtH"', 'last:Ruth', 2],
    ['last:inonu', 'last:İnönü', 1],
    ['kind:strasse', 'kind:Straße', 1],
    ['kind:"food & drink"', 'kind:"Food & Drink"', 2],
    ['kind:"c++ (OLD)"', 'kind:"C++ (old)"', 1],
    ['last:ru*', null, 0],
    ['kind:FOOD*', 'kind:Food*', 2],
    ['kind:*DRINK', 'kind:*Drink', 2],
    ['kind:f?OD*', 'kind:F?od*', 2],
    ['addr.city:munchen', 'addr.city:München', 1],
    ['addr.city:mün*', 'addr.city:Mün*', 1],
    ['addr.city:aero', 'addr.city:Ærø', 1],
    ['addr.City:Köln', 'addr.city:Köln', 1],
    ['addr.ctiy:"Zürich"', 'addr.city:"Zürich"', 1],
    ['addr.CITY:kÖ*', 'addr.city:Kö*', 1],
    ['addr.City:koln', 'addr.city:Köln', 1],
    ['emoji:❤', 'emoji:❤️', 1],
    ['emoji:😁', null, 0],
    ['zurich', 'zürich', 1],
    ['body:angstrom', 'body:ångström', 1],
    ['stems:servces', 'stems:services', 1],
    ['last:Rutz', 'last:Ruth', 2],
    ['kind:"Food &"', 'kind:Food\\ &*', 2],
    ['body:"slow serv"', 'body:"slow serv"*', 1],
    ['stems:stra', 'stems:stra*', 1],
    ['last:ru', 'last:ru*', 1],
    ['kind:Foo', 'kind:Foo*', 2],
    ['serv', 'serv*', 1],
    ['21.', '21.*', 1],
    ['last:Rut9', 'last:Ruth', 2],
    ['body:servzzes', 'body:services', 1],
    ['body:sreviecs', 'body:services', 1],
    ['body:zzrvices', null, 0],
    ['emoji:xa', null, 0],
  ] as const)('%s: did you mean %s?', async (query, suggestion, found) => {
    const [count] = await counts(query);
    if (suggestion === null) return expect(count.suggestion).toBeUndefined();
    expect(count).toMatchObject({ clause: query, total: 0, suggestion });
    expect(count.suggestion_total).toBe(found);
    expect(await total(suggestion)).toBe(found);
  });

  it.each([
    ['guth', [{ clause: 'last:Guth', total: 1 }]],
    ['😀', [{ clause: 'emoji:😀', total: 1 }]],
    ['"food chain"', [{ clause: 'kind:"food chain"', total: 1 }]],
    ['inönü', [{ clause: 'last:İnönü', total: 1 }]],
    ['nothing', undefined],
    ['lts', [{ clause: 'release:*LTS*', total: 3 }]],
    ['"old"', [{ clause: 'kind:*old*', total: 1 }]],
    ['drin', undefined],
    ['2004', [{ clause: 'made:2004', total: 2 }]],
    [
      '4',
      [
        { clause: 'id:4', total: 1 },
        { clause: 'addr.floor:4', total: 1 },
      ],
    ],
    ['addr.city:zürich', [{ clause: 'addr:zürich', total: 2 }]],
    ['addr.city:"öln"', undefined],
  ] as const)('%s is found in other fields', async (query, elsewhere) => {
    const [count] = await counts(query);
    expect(count).toMatchObject({ clause: query, total: 0 });
    expect(count.elsewhere).toEqual(elsewhere);
    for (const { clause, total: found } of elsewhere ?? []) expect(await total(clause)).toBe(found);
  });
});

describe('a search without hits that asks for suggestions', () => {
  const search = (query: string, more: object = {}) =>
    lake.backend.search({ query, suggest: true, ...more });

  it.each([
    ['last:ruth AND kind:"food & drink"', 'last:Ruth AND kind:"Food & Drink"'],
    ['guth', 'last:Guth'],
    ['guth^2 nothing', 'last:Guth^2 nothing'],
    ['nothing LTS', 'release:*LTS*'],
    ['last:(ruth OR nobody)', 'last:(last:Ruth OR nobody)'],
    ['zurich -last:Guth', 'zürich -last:Guth'],
    ['addr.street:zürich AND last:ruts', 'addr:zürich AND last:ruts'],
    ['last:ruth AND kind:nowhere', undefined],
    ['last:Ruth AND kind:Straße', undefined],
    ['nothing', undefined],
    ['rut 2004', 'made:2004'],
    ['of quikc in 2004', 'quick made:2004'],
    ['LTS rut', 'release:*LTS*'],
    ['GUTH zzzz', 'last:Guth'],
    ['ra', undefined],
  ])('%s: %s', async (query, suggested) => {
    const { total: found, clauses, suggested_query } = await search(query);
    expect(found).toBe(0);
    expect(suggested_query).toBe(suggested);
    expect(clauses).toEqual(await counts(query));
    if (suggested !== undefined) expect(await total(suggested)).toBeGreaterThan(0);
  });

  it('respects the filter, the operator and the page of the request', async () => {
    const more = { default_operator: 'and', limit: 1, facets: { fields: ['last'] }, highlight: {} };
    expect((await search('guth', { ...more, filter: 'emoji:🍕' })).suggested_query).toBe(
      'last:Guth',
    );
    expect((await search('guth', { ...more, filter: 'emoji:😀' })).suggested_query).toBeUndefined();
  });

  it.each([
    ['slow lts', ['lts finds nothing: release:*LTS* has 3']],
    ['slow guth', ['guth finds nothing: last:Guth has 1']],
    ['slow nothing', undefined],
    ['slow lts*', undefined],
    ['slow quick', undefined],
    ['slow -lts', undefined],
  ])('names words of no hit that other hits do not need: %s', async (query, notes) => {
    const found = await search(query);
    expect(found.total).toBeGreaterThan(0);
    expect(found.notes).toEqual(notes);
    expect(found.suggested_query).toBeUndefined();
  });

  it('has no suggestions with hits, for a tree, or unless it asks', async () => {
    expect(await search('last:Ruth')).not.toHaveProperty('clauses');
    expect(await lake.backend.search({ query: 'last:ruth' })).not.toHaveProperty('clauses');
    const tree = { ast: { term: { field: 'last', value: 'ruth' } }, suggest: true };
    const { clauses, suggested_query } = await lake.backend.search(tree);
    expect(clauses).toMatchObject([{ suggestion: 'last:Ruth' }]);
    expect(suggested_query).toBeUndefined();
  });

  it('an unknown field is the path that ends with its name', async () => {
    const error = await lake.backend.search({ query: 'floor:[1 TO *]' }).catch((fault) => fault);
    expect(error.hint).toMatch(/^did you mean "addr\.floor"\?/);
  });

  it('a range of a path in another case is that of the declared path', async () => {
    const error = await search('addr.FLOOR:>2').catch((fault) => fault);
    expect(error.details.suggested_query).toBe('addr.floor:>2');
    expect(error.hint).toMatch(/^perhaps you mean addr\.floor:>2 \(2 hits\)/);
    expect(await total('addr.floor:>2')).toBe(2);
  });

  it('a path of an unknown column is that of the nearest column', async () => {
    const error = await lake.backend.search({ query: 'Addr.city:Köln' }).catch((fault) => fault);
    expect(error.hint).toMatch(/^did you mean "addr\.city"\?/);
  });
});
