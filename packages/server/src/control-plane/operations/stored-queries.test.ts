import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../store/open-store.ts';
import { StoredQueries } from './stored-queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-queries-'));
let store: Store;
beforeAll(async () => {
  store = await openStore({ file: join(folder, 'server.db') });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const ann = { principal: { subject: 'ann', scopes: [] } };
const request = { index: 'notes', query: 'a' };

describe('a saved query', () => {
  it('gets no name that another one of the user has', async () => {
    const queries = new StoredQueries(store.queries);
    await queries.createSavedQuery({ name: 'first', request }, ann);
    const { id } = await queries.createSavedQuery({ name: 'second', request }, ann);
    const taken = queries.replaceSavedQuery({ id, name: 'first', request }, ann);
    await expect(taken).rejects.toMatchObject({ code: 'already_exists' });
    const same = await queries.replaceSavedQuery({ id, name: 'second', request }, ann);
    expect(same.id).toBe(id);
    const unknown = queries.replaceSavedQuery({ id: 'none', name: 'first', request }, ann);
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
});
