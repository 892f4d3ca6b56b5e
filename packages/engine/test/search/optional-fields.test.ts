/** Clauses of optional fields that an index lacks match nothing, in every kind of search. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const TITLES = ['red stone', 'red glass', 'blue stone', 'green'];
const NOTE = 'field "labels" is not in index "t": its clauses match nothing; did you mean "label"?';
const optional_fields = ['labels', 'title'];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = TITLES.map((title, i) => ({ id: String(i), title }));
  await lake.create(schemaOf({ id: 'string', title: 'string' }), { rows });
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: title, type: TEXT }
  - { name: label, source: [title], type: KEYWORD, fast: true }
  - { name: meaning, type: VECTOR, source: title, model: default }`);
});
afterAll(() => lake.close());

const keysOf = ({ hits }: { readonly hits: readonly { readonly key: string }[] }) =>
  hits.map(({ key }) => key.replace('id=', '')).sort();

describe('an optional field that the index lacks', () => {
  it.each([
    ['red OR labels:x', ['0', '1']],
    ['red AND labels:x', []],
    ['red AND NOT labels:x', ['0', '1']],
    ['NOT labels:[a TO z]', ['0', '1', '2', '3']],
    ['stone AND (labels:(x OR y*) OR red OR labels:*)', ['0']],
    ['labels:/x.*/^3 OR blue^2', ['2']],
    ['labels:now-1d OR blue', ['2']],
  ])('matches nothing in %s', async (query, keys) => {
    const request = { query, optional_fields, suggest: true, now: Date.UTC(2026, 0, 1) };
    const found = await lake.backend.search(request);
    expect({ keys: keysOf(found), notes: found.notes }).toEqual({ keys, notes: [NOTE] });
    expect(keysOf(await lake.backend.search({ optional_fields, filter: query }))).toEqual(keys);
    const counted = await lake.backend.aggregate({
      ...{ query: '*:*', optional_fields },
      aggs: { some: { filter: query } },
    });
    expect(counted.results).toMatchObject({ some: { doc_count: keys.length } });
    expect(counted.notes).toEqual([NOTE]);
    const { total } = await lake.backend.facets({ ...request, fields: ['label'] });
    expect(total).toBe(keys.length);
  });

  it.each([
    ['label:green OR labels:x', true],
    ['red AND (labels:[a TO z] OR label:(green OR blue))', true],
    ['(label:green OR labels:x) AND NOT labels:y', false],
    ['label:green AND labels:x', false],
    ['label:green OR (red AND labels:x)', true],
    ['(label:green AND labels:x) OR labels:y', false],
  ])('has no note if another arm of an OR names a field of the index: %s', async (text, isNone) => {
    const names = { optional_fields: ['labels', 'other'] };
    for (const request of [{ query: text }, { filter: text }, { query: '*:*', filter: text }]) {
      const { notes = [] } = await lake.backend.search({ ...request, ...names });
      expect(notes.includes(NOTE), JSON.stringify(request)).toBe(!isNone);
    }
  });

  it('matches nothing in trees', async () => {
    const term = { term: { field: 'labels', value: 'x' } };
    const red = { match: { field: 'title', value: 'red' } };
    for (const ast of [
      { dis_max: { queries: [term, red] } },
      { boosting: { positive: red, negative: term, negative_boost: 0.5 } },
      { bool: { should: [{ constant_score: { filter: term } }, red] } },
    ]) {
      const found = await lake.backend.search({ ast, optional_fields });
      expect(keysOf(found), JSON.stringify(ast)).toEqual(['0', '1']);
    }
  });

  it('matches nothing in filters of searches by meaning, and in explanations', async () => {
    const request = { query_text: 'stone', optional_fields, filter: 'blue OR labels:x' };
    expect(keysOf(await lake.backend.semantic(request))).toEqual(['2']);
    expect(keysOf(await lake.backend.hybrid(request))).toEqual(['2']);
    const explained = await lake.backend.explain({
      ...{ query: 'red OR labels:x', optional_fields },
      coordinates: { identifier: [{ name: 'id', value: '0' }] },
    });
    expect(explained).toMatchObject({ matched: true });
  });

  it('is refused if it is not named', async () => {
    const request = { query: 'red OR labels:x', optional_fields: ['title'] };
    await expect(lake.backend.search(request)).rejects.toThrow('field "labels" is not in index');
    const other = { query: 'lables:x OR labels:x', optional_fields };
    await expect(lake.backend.search(other)).rejects.toThrow('field "lables" is not in index');
  });
});
