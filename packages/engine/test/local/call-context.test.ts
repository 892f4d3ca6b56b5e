/** What a call carries beside its request: the caller, the signal and the deadline. */
import type { CallContext, Principal } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', owner: 'string' });

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, {
    rows: [
      { id: 1, owner: 'acme' },
      { id: 2, owner: 'rival' },
    ],
  });
  await lake.build('fields: [{ name: owner, type: KEYWORD }]\ntenant_field: owner');
});
afterAll(() => lake.close());

const caller = (more: Partial<Principal> = {}): CallContext => ({
  principal: { subject: 'ann', scopes: ['search'], ...more },
});
const all = { query: '*:*' };

describe('the indexes of a caller', () => {
  const own = caller({ indexes: ['other'] });

  it('are the only ones that it can read, write, see, name or drop', async () => {
    const { backend } = lake;
    const [{ name: index }] = await backend.listIndexes();
    const denied = { code: 'permission_denied' };
    const calls = [
      () => backend.search({ ...all, index }, own),
      () => backend.getKeys({ index, keys: [] }, own),
      () => backend.describeIndex({ index }, own),
      () => backend.status({ index }, own),
      () => backend.sync({ index }, own),
      () => backend.reindex({ index }, own),
      () => backend.compact({ index }, own),
      () => backend.verify({ index }, own),
      () => backend.getCheckpoint({ index }, own),
      () => backend.openPit({ index }, own),
      () => backend.setAlias({ alias: 'x', index }, own),
      () => backend.dropIndex({ index }, own),
      () => backend.parseQuery({ index, query: 'a' }, own),
      () => backend.analyze({ index, field: 'owner', text: 'a' }, own),
      () => Array.fromAsync(backend.exportDocuments({ index }, own)),
      () => Array.fromAsync(backend.follow({ index }, own)),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(denied);
    expect(await backend.listIndexes({}, own)).toEqual([]);
    expect(await backend.listIndexes({}, caller({ indexes: [index] }))).toHaveLength(1);
    expect((await backend.search(all, caller({ indexes: [index] }))).total).toBe(2);
  });

  it('bound its aliases, whoever made them', async () => {
    const { backend } = lake;
    const [{ name: index }] = await backend.listIndexes();
    await backend.setAlias({ alias: 'latest', index });
    expect(await backend.listAliases({}, own)).toEqual([]);
    const denied = { code: 'permission_denied' };
    await expect(backend.search({ ...all, index: 'latest' }, own)).rejects.toMatchObject(denied);
    const dropped = backend.dropAlias({ alias: 'latest' }, own);
    await expect(dropped).rejects.toMatchObject({ code: 'not_found' });
    const at = `{ catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const fields = 'fields: [{ name: owner, type: KEYWORD }]';
    const definition = `version: 1\nindex: other\nsource: ${at}\n${fields}\n`;
    await backend.createIndex({ definition });
    const taken = backend.setAlias({ alias: 'latest', index: 'other' }, own);
    await expect(taken).rejects.toMatchObject(denied);
    expect((await backend.listAliases())[0].index).toBe(index);
    await backend.dropIndex({ index: 'other' });
    expect(await backend.listAliases()).toHaveLength(1);
    await backend.dropAlias({ alias: 'latest' });
  });
});

describe('a tenant of a caller', () => {
  const acme = caller({ tenant: 'acme' });

  it('narrows what it reads, and closes what concerns all rows', async () => {
    const { backend } = lake;
    expect((await backend.search(all, acme)).total).toBe(1);
    expect(await backend.describeIndex({}, acme)).toMatchObject({ num_docs: 1 });
    const closed = [
      () => backend.reindex({}, acme),
      () => backend.sync({}, acme),
      () => backend.verify({}, acme),
      () => backend.compact({}, acme),
      () => backend.status({}, acme),
      () => backend.getCheckpoint({}, acme),
      () => backend.listIndexes({}, acme),
      () => backend.dropIndex({ index: 'x' }, acme),
      () => backend.bench({ index: 'x', queries: ['a'] }, acme),
      () => Array.fromAsync(backend.follow({}, acme)),
    ];
    for (const call of closed) {
      await expect(call()).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});

describe('the owner of saved queries', () => {
  it('belong to the subject of the caller', async () => {
    const { backend } = lake;
    const bob = caller({ subject: 'bob' });
    const { id } = await backend.createSavedQuery({ name: 'mine', request: all }, caller());
    expect(await backend.listSavedQueries({}, caller())).toHaveLength(1);
    expect(await backend.listSavedQueries({}, bob)).toEqual([]);
    expect(await backend.listSavedQueries()).toEqual([]);
    await expect(backend.deleteSavedQuery({ id }, bob)).rejects.toMatchObject({
      code: 'not_found',
    });
    await backend.deleteSavedQuery({ id }, caller());
  });
});

describe('a call that nobody waits for', () => {
  it('is refused when its signal is aborted or its deadline is over', async () => {
    const { backend } = lake;
    const aborted = { signal: AbortSignal.abort() };
    await expect(backend.search(all, aborted)).rejects.toMatchObject({ code: 'interrupted' });
    const late = { deadline: Date.now() - 1 };
    await expect(backend.search(all, late)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect((await backend.search(all, { deadline: Date.now() + 60_000 })).total).toBe(2);
  });
});
