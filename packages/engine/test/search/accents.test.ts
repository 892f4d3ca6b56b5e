/** A word without hits names the indexed word that differs in accents alone, in any default field. */
import type { Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const ADDRESS: Type = {
  kind: 'struct',
  fields: [{ id: 7, name: 'city', type: { kind: 'string' }, required: false }],
};
const schema = schemaOf({
  id: 'long',
  name: 'string',
  body: 'string',
  folded: 'string',
  code: 'string',
  addr: ADDRESS,
});
const TEXTS = ['Kōyō tea', 'Größe', 'crème brûlée', 'Ærø ferry', 'royal toys', 'cafe'];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = TEXTS.map((body, id) => ({
    ...{ id, name: `entry ${id}`, body, folded: body, code: 'Über' },
    addr: { city: 'Ærø' },
  }));
  await lake.create(schema, { rows });
  await lake.build(`key: { identifier: [id] }
analyzers: [{ name: folded, tokenizer: standard, filters: [lowercase, ascii_folding] }]
default_fields: [name, body]
fields:
  - { name: name, type: TEXT }
  - { name: body, type: TEXT }
  - { name: folded, type: TEXT, analyzer: folded }
  - { name: code, type: KEYWORD }
variants: [{ column: addr, flatten: true }]`);
});
afterAll(() => lake.close());

describe('a word that is indexed with accents alone', () => {
  it.each([
    ['koyo', 'kōyō'],
    ['grosse', 'größe'],
    ['body:creme', 'body:crème'],
    ['body:brulee', 'body:brûlée'],
    ['café', 'cafe'],
  ])('%s is suggested with them', async (query, suggestion) => {
    expect(await lake.backend.clauseCounts({ query })).toMatchObject([
      { clause: query, total: 0, suggestion, suggestion_total: 1 },
    ]);
  });

  it.each(['koyo', 'grosse', 'creme', 'brulee', 'aero', 'café'])(
    '%s is found in a field whose analyzer folds accents',
    async (word) => {
      expect((await lake.backend.search({ query: `folded:${word}` })).total).toBe(1);
    },
  );

  it.each([
    ['koyo', 'body', '"analyzer: folded"'],
    ['code:uber', 'code', '"folded: true"'],
    ['addr:aero', 'addr', '"analyzer: folded"'],
    ['addr.city:aero', 'addr.city', 'a TEXT field of a shape with "analyzer: folded"'],
    ['code:über', undefined, ''],
  ])('%s has a note with the setting that finds both spellings', async (query, field, setting) => {
    const { notes } = await lake.backend.search({ query, suggest: true });
    const note = `accents count in ${field}: ${setting} finds both spellings`;
    expect(notes).toEqual(field === undefined ? undefined : [note]);
  });
});
