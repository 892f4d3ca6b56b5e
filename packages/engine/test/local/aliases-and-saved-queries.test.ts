/** Aliases and saved queries through the embedded engine: every operation takes an alias. */

import type { SavedQueryDraft } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const FIELDS = 'fields: [{ name: title, type: TEXT, cached: true }]';

let lake: SmallLake;
let backend: LocalEngine;
beforeAll(async () => {
  lake = await openSmallLake();
  backend = lake.backend;
  await lake.create(schema);
  await lake.define(FIELDS);
  const { catalog } = lake.source;
  const source = `source: { catalog: ${JSON.stringify(catalog)}, table: a.t }`;
  await backend.createIndex({ definition: `version: 1\nindex: next\n${source}\n${FIELDS}\n` });
  await append(1, 2, 3);
  await backend.reindex({ index: 't' });
  await append(4);
  await backend.reindex({ index: 'next' });
});
afterAll(() => lake.close());

const append = (...ids: number[]) => lake.append(ids.map((id) => ({ id, title: `note ${id}` })));

describe('aliases and saved queries', () => {
  it('an alias works in every operation', async () => {
    expect(await backend.setAlias({ alias: 'notes', index: 't' })).toEqual({
      alias: 'notes',
      index: 't',
    });
    const index = 'notes';
    const key = { identifier: [{ name: 'id', value: '2' }] };
    expect((await backend.search({ index, query: 'note' })).total).toBe(3);
    expect((await backend.describeIndex({ index })).index).toBe('t');
    expect((await backend.status({ index })).index).toBe('t');
    expect((await backend.getKeys({ index, keys: [key] })).rows).toHaveLength(1);
    expect(await backend.clauseCounts({ index, query: 'note' })).toHaveLength(1);
    expect(await Array.fromAsync(backend.exportDocuments({ index }))).toHaveLength(3);
    expect((await backend.analyze({ index, field: 'title', text: 'a b' })).tokens).toHaveLength(2);
    expect((await backend.parseQuery({ index, query: 'note' })).ast).toEqual({
      term: { field: 'title', value: 'note' },
    });
    expect((await backend.getCheckpoint({ index })).key_columns).toBe(1);
    expect((await backend.bench({ index, queries: ['note'], repeat: 1 })).index).toBe('t');
    expect(await backend.verify({ index })).toMatchObject({ equal: true });
    expect(await backend.sync({ index })).toMatchObject({ snapshots_applied: 1 });
    expect(await backend.compact({ index })).toMatchObject({ segments_after: 1 });
    const { pit_id } = await backend.openPit({ index });
    expect((await backend.search({ index: 't', pit_id })).total).toBe(4);
    expect(await backend.reindex({ index })).toMatchObject({ doc_count: 4 });
    expect(await backend.closePit({ index, pit_id })).toEqual({ closed: true });
    await expect(backend.dropIndex({ index })).rejects.toThrow('"notes" is an alias of index "t"');
  });

  it('an alias moves in one step and then reads the new index', async () => {
    await append(5);
    await backend.setAlias({ alias: 'swap', index: 't' });
    const { pit_id } = await backend.openPit({ index: 'swap' });
    await backend.reindex({ index: 'next' });
    expect((await backend.search({ index: 'swap', query: 'note' })).total).toBe(4);
    await backend.setAlias({ alias: 'swap', index: 'next' });
    expect((await backend.search({ index: 'swap', query: 'note' })).total).toBe(5);
    // A point in time is its index's, whatever the alias means by now.
    await expect(backend.search({ index: 'swap', pit_id })).rejects.toThrow('of index "next"');
    expect((await backend.search({ index: 't', pit_id })).total).toBe(4);
    expect(await backend.setAlias({ alias: 'swap', index: 'notes' })).toMatchObject({ index: 't' });
    expect(await backend.listAliases()).toEqual([
      { alias: 'notes', index: 't' },
      { alias: 'swap', index: 't' },
    ]);
    await backend.dropAlias({ alias: 'swap' });
    await expect(backend.search({ index: 'swap' })).rejects.toMatchObject({
      code: 'index_not_found',
    });
    await expect(backend.setAlias({ alias: 'x', index: 'nowhere' })).rejects.toMatchObject({
      code: 'index_not_found',
    });
  });

  it('no name is used twice', async () => {
    const { catalog } = lake.source;
    const source = `source: { catalog: ${JSON.stringify(catalog)}, table: a.t }`;
    const definition = `version: 1\nindex: notes\n${source}\n${FIELDS}\n`;
    await expect(backend.createIndex({ definition })).rejects.toMatchObject({
      code: 'index_exists',
    });
    await expect(backend.setAlias({ alias: 'next', index: 't' })).rejects.toMatchObject({
      code: 'index_exists',
    });
  });

  it('saved queries run as they were saved', async () => {
    const request = {
      index: 'notes',
      query: 'note',
      limit: 2,
      sort: [{ field: '_key', desc: true }],
    };
    const saved = await backend.createSavedQuery({ name: 'newest notes', request });
    expect(await backend.listSavedQueries()).toEqual([saved]);
    const { hits } = await backend.search(saved.request);
    expect(hits.map((hit) => hit.coordinates.identifier[0].value)).toEqual(['4', '3']);
    const draft = { name: 'newest', description: 'two of them', request };
    const replaced = await backend.replaceSavedQuery({ id: saved.id, ...draft });
    expect(replaced).toMatchObject({ ...draft, id: saved.id, created_at: saved.created_at });
    await backend.deleteSavedQuery({ id: saved.id });
    expect(await backend.listSavedQueries()).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: '', request: {} }, '"name" is ""'],
    [{ name: ' a', request: {} }, '"name" is " a"'],
    [{ name: 'a\nb', request: {} }, 'one line of 1 to 128 characters'],
    [{ name: 'a', request: { qury: 'x' } }, 'unknown request field "qury"; did you mean "query"?'],
    [{ name: 'a', request: { pit_id: 'x' } }, '"request.pit_id" does not last'],
    [{ name: 'a', request: { search_after: ['x'] } }, '"request.search_after" does not last'],
    [{ name: 'a', request: { query: 'x'.repeat(300_000) } }, 'at most 262144'],
    [{ name: 'a', request: {}, owner: 'bo' }, 'unknown request field "owner"'],
    [{ name: 'a', request: {}, description: 5 }, '"description" is 5: expected a string'],
  ])('draft %# is refused', async (draft, message) => {
    await expect(backend.createSavedQuery(draft as SavedQueryDraft)).rejects.toThrow(message);
  });
});
