/** `highlight: { matched: true }` marks what the query found, in fields with and without copies. */
import { appendRows, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const text = { kind: 'string' } as const;
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', type: { kind: 'long' }, required: true },
    ...['title', 'body', 'kind', 'town'].map((name, i) => {
      return { id: i + 2, name, type: text, required: false };
    }),
  ],
};
const ROWS = [
  { title: 'a red fox', body: 'runs over red earth', kind: 'red', town: 'Bo' },
  { title: 'a hen', body: 'hides from the red fox', kind: 'fox', town: 'Ulm' },
  { title: 'nothing', body: 'of it', kind: 'hen', town: 'RED' },
].map((row, id) => ({ id, ...row }));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  await appendRows(lake.source, { kind: 'rows', rows: ROWS });
  await lake.define(`key: { identifier: [id] }
default_fields: [title, body]
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: body, type: TEXT }
  - { name: kind, type: KEYWORD, fast: true }
  - { name: town, type: KEYWORD, folded: true }`);
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

/** The marked fields of each hit, by key, with what is marked. */
async function marked(query: string): Promise<Record<string, Record<string, readonly string[]>>> {
  const { hits } = await lake.backend.search({ query, highlight: { matched: true } });
  const entries = hits.map(({ coordinates, highlight = {} }) => {
    const fields = Object.entries(highlight).map(([name, fragments]) => {
      const segments = fragments.flat().filter((segment) => segment.marked);
      return [name, segments.map((segment) => segment.text)] as const;
    });
    return [coordinates.identifier[0]!.value, Object.fromEntries(fields)] as const;
  });
  return Object.fromEntries(entries);
}

describe('the fields that a query searches', () => {
  it('are marked from the table only if the index has no mark', async () => {
    expect(await marked('red')).toEqual({ 0: { title: ['red'] }, 1: { body: ['red'] } });
  });

  it('may be KEYWORD fields, cached or not, folded or not', async () => {
    expect(await marked('kind:red')).toEqual({ 0: { kind: ['red'] } });
    expect(await marked('town:red')).toEqual({ 2: { town: ['RED'] } });
    expect(await marked('kind:fox body:it')).toEqual({ 1: { kind: ['fox'] }, 2: { body: ['it'] } });
  });

  it('are not named as well', async () => {
    const highlight = { matched: true, fields: ['title'] };
    await expect(lake.backend.search({ query: 'red', highlight })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: '"highlight.fields" and "highlight.matched" exclude each other: send one',
    });
  });
});
