/** A clause without hits names what was probably meant, and the fields that contain its word. */
import { appendRows, type Schema, type Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const string: Type = { kind: 'string' };
const field = (id: number, name: string, type: Type = string) => {
  return { id, name, type, required: false };
};
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { ...field(1, 'id', { kind: 'long' }), required: true },
    field(2, 'last'),
    field(3, 'kind'),
    field(4, 'emoji'),
    field(5, 'body'),
    field(6, 'stems'),
    field(7, 'addr', { kind: 'struct', fields: [field(8, 'city')] }),
  ],
};
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
  await lake.create(schema);
  const rows = ROWS.map(([last, kind, emoji, body, stems, city], id) => {
    return { id, last, kind, emoji, body, stems, addr: { city } };
  });
  await appendRows(lake.source, { kind: 'rows', rows });
  await lake.define(`key: { identifier: [id] }
default_fields: [body^2, stems]
fields:
  - { name: body, type: TEXT }
  - { name: stems, type: TEXT, analyzer: english }
  - { name: last, type: KEYWORD }
  - { name: kind, type: KEYWORD }
  - { name: emoji, type: KEYWORD }
variants: [{ column: addr, flatten: true }]`);
  await lake.backend.reindex({});
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
    ['emoji:❤', 'emoji:❤️', 1],
    ['emoji:😁', null, 0],
    ['zurich', 'zürich', 1],
    ['body:angstrom', 'body:ångström', 1],
    ['stems:servces', 'stems:services', 1],
    ['last:Rutz', 'last:Ruth', 2],
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
  ] as const)('%s is found in other fields', async (query, elsewhere) => {
    const [count] = await counts(query);
    expect(count).toMatchObject({ clause: query, total: 0 });
    expect(count.elsewhere).toEqual(elsewhere);
    for (const { clause, total: found } of elsewhere ?? []) expect(await total(clause)).toBe(found);
  });
});
