// @module-tag campaign
// @module-tag program
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StoreDatabase } from '../../src/store/database.ts';
import { openPostgresDatabase } from '../../src/store/postgres-database.ts';
import { SilentPostgres } from './silent-postgres.ts';

const LATE = { code: 'unreachable', message: expect.stringContaining('cannot reach PostgreSQL') };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function silent(connections: number): Promise<[SilentPostgres, StoreDatabase]> {
  const server = await SilentPostgres.start(connections);
  closing.push(() => server.close());
  const database = await openPostgresDatabase(server.url, { queryMs: 50 });
  closing.push(() => database.close());
  return [server, database];
}

describe('connections to PostgreSQL that fall silent', () => {
  it('fail their statement in its time, and are replaced', async () => {
    const [server, database] = await silent(1);
    await expect(database.rows('SELECT')).rejects.toMatchObject(LATE);
    expect(await database.rows('SELECT')).toEqual([]);
    await vi.waitUntil(() => server.open === 1);
    expect(server.opened).toBe(2);
  });

  it('fail a transaction without another statement on them', async () => {
    const [server, database] = await silent(1);
    const work = vi.fn();
    await expect(database.transaction(work)).rejects.toMatchObject(LATE);
    expect(work).not.toHaveBeenCalled();
    expect(await database.transaction(async () => 7)).toBe(7);
    await vi.waitUntil(() => server.open === 1);
  });

  it('hold up no other statement, however many they are', async () => {
    const [server, database] = await silent(8);
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => database.rows('SELECT')));
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
    expect(await database.rows('SELECT')).toEqual([]);
    expect(server.opened).toBe(9);
  });

  it('do not keep the database from being closed', async () => {
    const [server, database] = await silent(1);
    const waiting = database.rows('SELECT').catch((error: unknown) => error);
    await vi.waitUntil(() => server.opened === 1);
    // not a second time at the end
    closing.pop();
    await database.close();
    expect(await waiting).toMatchObject(LATE);
  });
});
