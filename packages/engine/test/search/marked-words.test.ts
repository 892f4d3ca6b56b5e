import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'string', body: 'string' });
const FIELDS = `fields:
  - { name: body, type: TEXT, analyzer: simple, cached: true }
  - { name: text, type: VECTOR, source: body }`;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const body = 'the ship is in the harbour';
  await lake.create(SCHEMA, { rows: [{ id: 'a', body }] });
  await lake.build(FIELDS);
});
afterAll(() => lake.close());

/** The words of the first hit that are marked. */
const marked = async (query_text: string) => {
  const { hits } = await lake.backend.semantic({ query_text, highlight: {} });
  const pieces = (hits[0].highlight?.body ?? []).flat();
  return pieces.filter((piece) => piece.marked).map(({ text }) => text);
};

describe('highlights of semantic searches', () => {
  it('mark the words of the text that mean something', async () => {
    expect(await marked('Is the ship sinking?')).toEqual(['ship']);
  });

  it('mark nothing for a text of stop words', async () => {
    expect(await marked('is it in the')).toEqual([]);
  });
});
