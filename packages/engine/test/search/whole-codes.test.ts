/** The row with a code comes first in an index of a proposed definition; words rank as before. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', text: 'string', code: 'string', object: 'string', abbr: 'string' },
});
/** Two letters, which may be a word: `AN`. */
const abbrOf = (id: number) => String.fromCharCode(65 + Math.floor(id / 26), 65 + (id % 26));
const NEAR = new Map([[9, '12, NGC 12 again']]);
const ROWS = Array.from({ length: 60 }, (_, id) => {
  const head = id === 40 ? 'ABC-7.0 like ABC-7.0: ' : '';
  const kind = ['long', 'free'][id % 2];
  const near = NEAR.get(id) ?? id % 5;
  const text = `${head}the ${kind} licence of NGC ${near} and many more words of the terms`;
  return { id, text, code: `ABC-${id}.0`, object: `NGC ${id}`, abbr: abbrOf(id) };
});

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  const { definition } = await lake.backend.initDefinition({ source: lake.source, name: 't' });
  await lake.backend.createIndex({ definition });
  expect(definition).toContain('default_fields: [text^3, object^10, code^10, abbr] ');
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

const ids = async (query: string) =>
  (await lake.backend.search({ query, limit: 60 })).hits.map(({ key }) =>
    Number(/\d+/.exec(`${key}`)?.[0]),
  );

describe('a whole code', () => {
  it.each([
    ['ABC-7.0', 7],
    ['abc-40.0', 40],
    ['NGC 12', 12],
    ['"NGC 12"', 12],
  ])('%s is first', async (query, id) => {
    expect((await ids(query))[0]).toBe(id);
  });

  it.each(['free', 'licence', 'free terms'])('does not change the rank of %s', async (query) => {
    const [found, inText] = [await ids(query), await ids(`text:(${query})`)];
    expect(found).toEqual(inText);
  });
});
