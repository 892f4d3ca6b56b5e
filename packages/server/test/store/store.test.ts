// @module-tag campaign
// @module-tag program
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../test/support/embedded-postgres.ts';
import type { StoreDatabase } from '../../src/store/database.ts';
import { migrate, SCHEMA_STEPS } from '../../src/store/migrations.ts';
import { openStore, type Store, type StoreLocation } from '../../src/store/open-store.ts';
import { openPostgresDatabase } from '../../src/store/postgres-database.ts';
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const module = findEmbeddedPostgres();
let postgres: EmbeddedPostgres | undefined;
beforeAll(async () => {
  if (module !== null) postgres = await startEmbeddedPostgres(module);
});
afterAll(() => postgres?.stop());

let files = 0;
const LOCATIONS: Readonly<Record<string, () => Promise<StoreLocation>>> = {
  SQLite: async () => ({ file: join(folder, `store-${++files}.db`) }),
  PostgreSQL: async () => ({ postgres: await postgres!.newDatabase() }),
};
const kinds = Object.keys(LOCATIONS).filter((kind) => kind === 'SQLite' || module !== null);

const databaseAt = async (location: StoreLocation): Promise<StoreDatabase> =>
  'file' in location ? openSqliteDatabase(location.file) : openPostgresDatabase(location.postgres);

async function within<T>(kind: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(await LOCATIONS[kind]());
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const TOKEN = {
  id: 't1',
  name: 'ci',
  secretHash: 'ab',
  roles: ['reader'],
  indexes: ['commits'],
  tenant: null,
  createdBy: 'admin',
  createdMs: 1_700_000_000_000,
  expiresMs: 1_800_000_000_000,
};

const ROUTE = {
  index: 'a',
  generation: 2,
  snapshot: '7',
  shards: 2,
  definition: 'abc',
  replicas: [[{ node: 'n1', address: 'h:1', commit: 'c.1.1' }], []],
};

describe.skipIf(module !== null)('the store in PostgreSQL', () => {
  it.skip('is not tested: LHS_EMBEDDED_POSTGRES names no folder with embedded-postgres', () => {});
});

describe.each(kinds)('a store in %s', (kind) => {
  it('keeps users with their roles, and replaces both', () =>
    within(kind, async ({ users }) => {
      expect(await users.add('ann', 'hash', ['reader'])).toBe(true);
      expect(await users.add('ann', 'other', ['admin'])).toBe(false);
      await users.setRoles('bob', ['operator'], 'admin');
      await users.setRoles('ann', ['reader', 'operator'], 'admin');
      expect(await users.setPassword('ann', 'new')).toBe(true);
      expect(await users.setPassword('nobody', 'new')).toBe(false);
      const [ann, bob, ...more] = await users.list();
      expect(more).toEqual([]);
      expect(ann).toMatchObject({ subject: 'ann', password: 'new', roles: ['reader', 'operator'] });
      expect(bob).toMatchObject({ subject: 'bob', password: null, roles: ['operator'] });
      expect(Math.abs(ann.createdMs - Date.now())).toBeLessThan(60_000);
      expect(await users.remove('bob')).toBe(true);
      expect(await users.get('bob')).toBeUndefined();
    }));

  it('leaves one user with a role that must not be lost, whoever changes roles at once', () =>
    within(kind, async ({ users }) => {
      const all = ['ann', 'bob', 'eve', 'jim'];
      for (const subject of all) await users.setRoles(subject, ['admin'], 'admin');
      const changed = await Promise.all(
        all.map((subject) => users.setRoles(subject, ['reader'], 'admin')),
      );
      expect(changed.sort()).toEqual([false, true, true, true]);
      const admins = (await users.list()).filter(({ roles }) => roles.includes('admin'));
      expect(admins).toHaveLength(1);
      expect(await users.setRoles(admins[0].subject, ['admin', 'reader'], 'admin')).toBe(true);
    }));

  it('keeps tokens, the newest first, as they were stored', () =>
    within(kind, async ({ tokens }) => {
      const open = { ...TOKEN, id: 't2', indexes: null, tenant: 'git', expiresMs: null };
      await tokens.add(TOKEN);
      await tokens.add({ ...open, createdMs: TOKEN.createdMs + 1 });
      expect((await tokens.list()).map(({ id }) => id)).toEqual(['t2', 't1']);
      expect(await tokens.get('t1')).toEqual(TOKEN);
      expect(await tokens.get('t2')).toEqual({ ...open, createdMs: TOKEN.createdMs + 1 });
      expect(await tokens.count()).toBe(2);
      expect(await tokens.remove('t1')).toBe(true);
      expect(await tokens.remove('t1')).toBe(false);
    }));

  it('adds a signing key only if there is none that is as new', () =>
    within(kind, async ({ signingKeys }) => {
      const key = (id: string, createdMs: number) => ({ id, privateJwk: '{}', createdMs });
      expect(await signingKeys.addUnlessNewer(key('a', 1000), 500)).toBe(true);
      expect(await signingKeys.addUnlessNewer(key('b', 1001), 500)).toBe(false);
      expect(await signingKeys.addUnlessNewer(key('c', 3000), 2000)).toBe(true);
      expect((await signingKeys.list()).map(({ id }) => id)).toEqual(['c', 'a']);
      await signingKeys.removeBefore(2000);
      expect((await signingKeys.list()).map(({ id }) => id)).toEqual(['c']);
    }));

  it('keeps saved queries apart by user', () =>
    within(kind, async ({ queries }) => {
      const request = '{"query":"x"}';
      const draft = { name: 'mine', description: null, mode: 'lexical', request } as const;
      expect(await queries.add('q1', 'ann', draft, 2)).toBe(true);
      expect(await queries.add('q2', 'ann', draft, 2)).toBe(false);
      expect(await queries.add('q3', 'bob', draft, 2)).toBe(true);
      expect(await queries.add('q4', 'ann', { ...draft, name: 'b' }, 2)).toBe(true);
      expect(await queries.add('q5', 'ann', { ...draft, name: 'c' }, 2)).toBe(false);
      expect(await queries.replace('q3', 'ann', { ...draft, name: 'stolen' })).toBe(false);
      expect(await queries.remove('q3', 'ann')).toBe(false);
      expect((await queries.list('ann')).map(({ name }) => name)).toEqual(['b', 'mine']);
      expect(await queries.remove('q4', 'ann')).toBe(true);
      const hybrid = { ...draft, mode: 'hybrid', request: '{"query_text":"x"}' } as const;
      expect(await queries.replace('q1', 'ann', hybrid)).toBe(true);
      expect(await queries.list('ann')).toMatchObject([hybrid]);
      expect(await queries.list('bob')).toMatchObject([draft]);
    }));

  it('returns the newest activity, of one index or of all', () =>
    within(kind, async ({ activity }) => {
      const event = { operation: 'reindex', subject: 'ann', outcome: 'ok', details: { docs: 1 } };
      await activity.add({ ...event, atMs: 1, index: 'a' });
      await activity.add({ ...event, atMs: 2, index: 'b' });
      await activity.add({ ...event, atMs: 3, index: null });
      expect((await activity.newest(null, 2)).map(({ atMs }) => atMs)).toEqual([3, 2]);
      expect(await activity.newest('a', 10)).toEqual([{ ...event, atMs: 1, index: 'a' }]);
    }));

  it('keeps one license', () =>
    within(kind, async (store) => {
      expect(await store.license()).toBeUndefined();
      await store.setLicense({ licensee: 'a', nodeLimit: 3, expiresMs: null });
      await store.setLicense({ licensee: 'b', nodeLimit: null, expiresMs: 5 });
      expect(await store.license()).toEqual({ licensee: 'b', nodeLimit: null, expiresMs: 5 });
    }));

  it('gives a lease to one of many, and a greater epoch to the next', () =>
    within(kind, async ({ leases }) => {
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, i) => leases.acquire('leader', `p${i}`, 60_000)),
      );
      const [first, ...others] = tries.filter((lease) => lease !== undefined);
      expect(others).toEqual([]);
      expect(first.epoch).toBe(1);
      expect((await leases.renew(first, 60_000))?.expiresMs).toBeGreaterThanOrEqual(
        first.expiresMs,
      );
      expect(await leases.release(first)).toBe(true);
      const next = await leases.acquire('leader', 'next', 60_000);
      expect(next?.epoch).toBe(2);
      expect(await leases.renew(first, 60_000)).toBeUndefined();
      expect(await leases.release(first)).toBe(false);
      expect(await leases.current('leader')).toEqual(next);
    }));

  it('gives a lease that has expired to another', () =>
    within(kind, async ({ leases }) => {
      const first = await leases.acquire('leader', 'a', 20);
      const second = await vi.waitUntil(() => leases.acquire('leader', 'b', 60_000));
      expect(second).toMatchObject({ holder: 'b', epoch: first!.epoch + 1 });
      expect(await leases.renew(first!, 60_000)).toBeUndefined();
    }));

  it('stores one of two routes that follow the same one', () =>
    within(kind, async ({ routes }) => {
      expect(await routes.advance(ROUTE)).toBe(true);
      const next = ['8', '9'].map((snapshot) => ({ ...ROUTE, generation: 3, snapshot }));
      const stored = await Promise.all(next.map((route) => routes.advance(route)));
      expect(stored.filter(Boolean)).toHaveLength(1);
      expect(await routes.get('a')).toEqual(next[stored.indexOf(true)]);
      expect(await routes.advance(ROUTE)).toBe(false);
    }));

  it('changes a cluster under a lease in force only, all or nothing', () =>
    within(kind, async (store) => {
      const lease = (await store.leases.acquire('leader', 'a', 60_000))!;
      const failing = store.change(lease, async ({ definitions }) => {
        await definitions.add('a', 'index: a');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await store.definitions.get('a')).toBeUndefined();
      await store.leases.release(lease);
      const late = store.change(lease, ({ definitions }) => definitions.add('a', 'index: a'));
      await expect(late).rejects.toMatchObject({ code: 'fenced' });
      const next = (await store.leases.acquire('leader', 'b', 60_000))!;
      expect(await store.change(next, ({ definitions }) => definitions.add('a', 'x'))).toBe(true);
    }));

  it('lets one transaction at a time hold the names of indexes', () =>
    within(kind, async ({ change }) => {
      const order: number[] = [];
      const hold = (own: number) =>
        change(null, async ({ aliases }) => {
          await aliases.hold();
          order.push(own);
          const before = (await aliases.list()).length;
          await aliases.set({ alias: `a${own}`, index: 'i' });
          order.push(own);
          return before;
        });
      const counts = await Promise.all([1, 2, 3, 4].map(hold));
      expect(counts.sort()).toEqual([0, 1, 2, 3]);
      expect(order.filter((_, i) => i % 2 === 0)).toEqual(order.filter((_, i) => i % 2 === 1));
    }));

  it('gives every process of a node a new epoch, and fences the former one off', () =>
    within(kind, async ({ nodes }) => {
      const own = { node: 'n1', address: 'h:1', instance: 'p1', state: '{}' };
      const first = (await nodes.register(own, 0, 60_000))!;
      expect(await nodes.register({ ...own, state: '[]' }, first.epoch, 60_000)).toMatchObject({
        epoch: first.epoch,
        state: '[]',
      });
      const other = { ...own, instance: 'p2', address: 'h:2' };
      const second = (await nodes.register(other, 0, 60_000))!;
      expect(second.epoch).toBe(first.epoch + 1);
      expect(await nodes.register(own, first.epoch, 60_000)).toBeUndefined();
      await nodes.leave('n1', first.epoch);
      expect((await nodes.list()).map(({ address }) => address)).toEqual(['h:2']);
      await nodes.leave('n1', second.epoch);
      expect(await nodes.list()).toEqual([]);
      const again = await nodes.register(other, second.epoch, 60_000);
      expect(again?.epoch).toBe(second.epoch + 1);
    }));

  it('knows the process of a node again whose new epoch did not arrive', () =>
    within(kind, async ({ nodes }) => {
      const own = { node: 'n1', address: 'h:1', instance: 'p1', state: '{}' };
      const { epoch } = (await nodes.register(own, 0, -1))!;
      expect((await nodes.register(own, epoch, 60_000))?.epoch).toBe(epoch + 1);
      expect((await nodes.register(own, epoch, 60_000))?.epoch).toBe(epoch + 1);
      const other = { ...own, instance: 'p2' };
      expect(await nodes.register(other, epoch, 60_000)).toBeUndefined();
      expect((await nodes.register(other, 0, 60_000))?.epoch).toBe(epoch + 2);
      expect(await nodes.register(own, epoch + 1, 60_000)).toBeUndefined();
    }));

  it('runs one job per index, each with a generation of its own', () =>
    within(kind, async ({ jobs, routes }) => {
      await routes.advance({ ...ROUTE, generation: 4 });
      const draft = { index: 'a', kind: 'reindex', request: { as_of: 'x' }, epoch: 3 } as const;
      const added = await Promise.all(['j1', 'j2', 'j3'].map((id) => jobs.add(id, draft)));
      const [job, ...others] = added.filter((each) => each !== undefined);
      expect(others).toEqual([]);
      expect(job).toMatchObject({ ...draft, state: 'pending', generation: 5, endedMs: null });
      expect(await jobs.add('j4', { ...draft, index: 'b' })).toMatchObject({ generation: 1 });
      expect((await jobs.apply(job.id, 'build_started'))?.state).toBe('building');
      const error = { code: 'internal', message: 'no', details: {} };
      const failed = await jobs.apply(job.id, 'build_failed', { error });
      expect(failed).toMatchObject({ state: 'failed', record: { error } });
      expect(failed?.endedMs).toBeGreaterThan(0);
      expect((await jobs.apply(job.id, 'cutover_finished'))?.state).toBe('failed');
      await jobs.requestCancel(job.id);
      expect((await jobs.get(job.id))?.cancelMs).toBeNull();
      expect(await jobs.add('j5', draft)).toMatchObject({ generation: 6 });
      expect((await jobs.list({ running: true })).map(({ id }) => id)).toEqual(['j5', 'j4']);
    }));

  it('drops an index with its route, placements and aliases', () =>
    within(kind, async (store) => {
      await store.definitions.add('a', 'index: a');
      expect(await store.definitions.add('a', 'index: b')).toBe(false);
      expect(await store.definitions.replace('a', 'index: c', 7)).toBe(false);
      expect(await store.definitions.replace('a', 'index: c', 1)).toBe(true);
      await store.routes.advance(ROUTE);
      await store.aliases.set({ alias: 'x', index: 'a' });
      for (const node of ['m', 'n']) await store.placements.set({ index: 'a', node });
      expect(await store.placements.list()).toEqual([{ index: 'a', node: 'n' }]);
      expect(await store.placements.nodeOf('a')).toBe('n');
      expect(await store.change(null, ({ definitions }) => definitions.remove('a'))).toBe(true);
      const left = [store.placements.list(), store.aliases.list(), store.routes.list()];
      expect(await Promise.all(left)).toEqual([[], [], []]);
    }));
});

describe.runIf(module !== null)('a transaction in PostgreSQL', () => {
  it('whose process was stopped keeps no other one from its lease', () =>
    within('PostgreSQL', async ({ leases }) => {
      const stopped = Promise.withResolvers<void>();
      const lease = (await leases.acquire('leader', 'a', 2000))!;
      const late = leases.fenced(lease, async (statements) => {
        await stopped.promise;
        return statements.rows('SELECT 1');
      });
      const next = await vi.waitUntil(() => leases.acquire('leader', 'b', 60_000));
      stopped.resolve();
      await expect(late).rejects.toMatchObject({ code: 'unreachable' });
      expect(await leases.current('leader')).toEqual(next);
    }));
});

describe.each(kinds)('migrations in %s', (kind) => {
  async function migrating<T>(work: (open: () => Promise<StoreDatabase>) => Promise<T>) {
    const location = await LOCATIONS[kind]();
    const opened: StoreDatabase[] = [];
    try {
      return await work(async () => {
        const database = await databaseAt(location);
        opened.push(database);
        return database;
      });
    } finally {
      for (const database of opened) await database.close();
    }
  }

  it('run once, also when several processes start together', () =>
    migrating(async (open) => {
      const databases = kind === 'SQLite' ? [await open()] : [await open(), await open()];
      const applied = await Promise.all(databases.map((database) => migrate(database)));
      expect(applied.reduce((a, b) => a + b)).toBe(SCHEMA_STEPS.length);
      expect(await migrate(await open())).toBe(0);
    }));

  it('apply the steps that are missing, all or none', () =>
    migrating(async (open) => {
      const database = await open();
      await migrate(database, ['CREATE TABLE a (x BIGINT)']);
      const broken = ['CREATE TABLE a (x BIGINT)', 'CREATE TABLE b (x BIGINT); NOT SQL'];
      await expect(migrate(database, broken)).rejects.toThrow(/NOT/i);
      await expect(database.rows('SELECT * FROM b')).rejects.toThrow(/b/);
      expect(await migrate(database, [broken[0], 'CREATE TABLE b (x BIGINT)'])).toBe(1);
    }));

  it('refuse a database with other steps, and one with more', () =>
    migrating(async (open) => {
      const database = await open();
      const steps = ['CREATE TABLE a (x BIGINT)', 'CREATE TABLE b (x BIGINT)'];
      await migrate(database, steps);
      const other = ['CREATE TABLE c (x BIGINT)', steps[1]];
      await expect(migrate(database, other)).rejects.toThrow(/step 1 .* is not the one/);
      await expect(migrate(database, steps.slice(1))).rejects.toThrow(/schema 2; .* knows 1/);
    }));

  it('roll back a transaction that throws, while others wait', () =>
    migrating(async (open) => {
      const database = await open();
      await database.run('CREATE TABLE a (x BIGINT)');
      const failing = database.transaction(async (statements) => {
        await statements.run('INSERT INTO a VALUES (1)');
        throw new Error('no');
      });
      const later = database.transaction((statements) =>
        statements.run('INSERT INTO a VALUES (2)'),
      );
      await expect(failing).rejects.toThrow('no');
      await later;
      expect(await database.rows('SELECT x FROM a')).toEqual([{ x: 2 }]);
    }));
});

describe('the file of a store', () => {
  it('is readable by its owner alone, and an unusable one is named', async () => {
    const file = join(folder, 'own', 'server.db');
    await (await openStore({ file })).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(openStore({ file: folder })).rejects.toMatchObject({ code: 'io_error' });
  });

  it('is refused if it is no database', async () => {
    await expect(openStore({ postgres: 'postgres://127.0.0.1:1/none' })).rejects.toMatchObject({
      code: 'unreachable',
    });
  });
});
