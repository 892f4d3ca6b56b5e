// @module-tag campaign
// @module-tag program
import type { ChildProcess } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { findVersitygw, startVersitygw } from '../../../test/support/versitygw.ts';
import { S3Server } from '../../lake/test/s3-server.ts';
import { ended, Home } from './child.ts';

/** A table on S3 and its backups from end to end, each command a process of its own. */
const SCHEMA = schemaOf({ id: 'string', title: 'string' });

/** A server of the bucket `lake`. */
interface Server {
  readonly env: Readonly<Record<string, string>>;
  /** Copies the files of a folder below a key. */
  upload(folder: string, key: string): void;
  close(): unknown;
}

async function ownServer(): Promise<Server> {
  const server = await S3Server.start('lake');
  return {
    env: server.env,
    upload(folder, key) {
      for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        server.put('lake', `${key}${path.slice(folder.length)}`, readFileSync(path));
      }
    },
    close: () => server.close(),
  };
}

const binary = findVersitygw();
async function gateway(): Promise<Server> {
  const { data, env, close } = await startVersitygw(binary!, 'lake');
  const upload = (folder: string, key: string) =>
    cpSync(folder, join(data, 'lake', key), { recursive: true });
  return { env, upload, close };
}

describe.each([
  ['the server in this process', ownServer],
  ...(binary === null ? [] : [['versitygw', gateway] as const]),
] as const)('a table on S3, served by %s', (_, open) => {
  const home = new Home();
  const catalog = { type: 'filesystem' as const, warehouse: home.path('house') };
  const source = { catalog, table: 'ops.notes' };
  const WAREHOUSE = ['--warehouse', 's3://lake/house'];
  let server: Server;
  let env: Readonly<Record<string, string>>;
  const run = (...args: string[]) => home.run(args, { env });
  const json = <T>(...args: string[]) => home.json<T>(args, { env });

  const append = async (...ids: string[]) => {
    const rows = ids.map((id) => ({ id, title: `disk of ${id}` }));
    await appendRows(source, { kind: 'rows', rows });
    server.upload(catalog.warehouse, 'house');
  };

  beforeAll(async () => {
    server = await open();
    env = { ...server.env, LHS_OBJECT_CACHE_DIR: home.path('objects') };
    await createTable(catalog, source.table, { schema: SCHEMA });
    await append('a', 'b', 'c');
    const { stdout } = await run('index', 'init', 'ops.notes', ...WAREHOUSE);
    await home.run(['index', 'create', '-'], { env, input: stdout });
  });
  afterAll(async () => {
    await server.close();
    home.dispose();
  });

  it('is described, indexed and searched with its rows', async () => {
    const tables = await json<{ tables: string[] }>('source', 'tables', ...WAREHOUSE);
    expect(tables).toEqual({ tables: ['ops.notes'] });
    const described = await run('source', 'describe', 'ops.notes', ...WAREHOUSE);
    expect(described).toMatchObject({ code: 0, stdout: expect.stringContaining('title') });
    const built = await json<{ doc_count: number }>('index', 'reindex', 'notes');
    expect(built.doc_count).toBe(3);
    const found = await json<{ hits: { row: object }[] }>('search', 'notes', 'b', '--hydrate');
    expect(found.hits.map(({ row }) => row)).toEqual([{ id: 'b', title: 'disk of b' }]);
    const { rows } = await json<{ rows: object[] }>('keys', 'get', 'notes', 'id=c');
    expect(rows).toMatchObject([{ fields: { id: 'c', title: 'disk of c' } }]);
  });

  it('is followed by a sync, and equal after it', async () => {
    await append('d');
    await deleteRows(source, `id = 'a'`);
    server.upload(catalog.warehouse, 'house');
    const synced = await json('index', 'sync', 'notes');
    expect(synced).toMatchObject({ doc_count: 3, inserted: 1, deleted: 1 });
    expect(await run('index', 'verify', 'notes')).toMatchObject({ code: 0 });
  });

  it('is followed until a signal', async () => {
    const args = ['index', 'sync', 'notes', '--follow', '--poll', '0.2', '--json'];
    const child = home.start(args, { env });
    const end = ended(child);
    const next = eventsOf(child);
    await next('waiting');
    await append('e', 'f');
    expect(await next('commit')).toMatchObject({ inserted: 2 });
    child.kill('SIGTERM');
    expect((await end).code).toBe(0);
  });

  it('is beside one that an import makes, and that is written to', async () => {
    const input = 'id,title\na,one\nb,two\n';
    const to = ['import', '-', '--table', 'ops.made', ...WAREHOUSE];
    expect(await home.run([...to, '--key', 'id'], { env, input })).toMatchObject({ code: 0 });
    const again = await home.run(to, { env, input });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/--append.*--replace/) });
    const more = { env, input: 'id,title\nc,three\n' };
    expect(await home.run([...to, '--append'], more)).toMatchObject({ code: 0 });
    const where = ['--where', `id = 'b'`, '--yes'];
    await run('source', 'delete', 'ops.made', ...WAREHOUSE, ...where);
    const rows = await run('source', 'rows', 'ops.made', ...WAREHOUSE, '--format', 'csv');
    expect(rows.stdout.split('\n').sort()).toEqual(['', 'a,one', 'c,three', 'id,title']);
    expect(await home.run([...to, '--replace'], more)).toMatchObject({ code: 0 });
    const left = await run('source', 'rows', 'ops.made', ...WAREHOUSE, '--format', 'csv');
    expect(left.stdout).toBe('id,title\nc,three\n');
  });

  it('has an index that is backed up beside it, dropped, restored and in step again', async () => {
    const place = 's3://lake/backups';
    const made = await json<{ backup: string }>('index', 'backup', 'notes', place, '--verify');
    await run('index', 'drop', 'notes', '--yes');
    await append('g');
    const restored = await run('index', 'restore', place);
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`backup ${made.backup}\nnext: lhs index sync notes\n`),
    });
    expect(await json('index', 'sync', 'notes')).toMatchObject({ inserted: 1 });
    expect(await run('index', 'verify', 'notes')).toMatchObject({ code: 0 });
    env = { ...env, LHS_BACKUP_TARGET: place };
    await json('index', 'backup', 'notes');
    const status = await json('index', 'backups', 'status', 'notes');
    expect(status).toMatchObject({ configured: true, present: true });
    const pruned = await json('index', 'backups', 'prune', '--keep', '1', '--yes');
    expect(pruned).toMatchObject({ backups_removed: [made.backup], backups_kept: 1 });
    const list = await json<{ backups: { num_docs: number }[] }>('index', 'backups', 'list');
    expect(list.backups).toMatchObject([{ index: 'notes', num_docs: 6 }]);
  });
});

describe('a store that does not answer', () => {
  it('does not keep an import from its end after a signal', async () => {
    const home = new Home();
    const server = await S3Server.start('lake');
    const asked: string[] = [];
    server.fault = ({ method, key, query }) => {
      asked.push(`${method} ${key}`);
      return query.has('delete') || key.endsWith('.parquet') ? { kind: 'silent' } : null;
    };
    const env = { ...server.env, LHS_OBJECT_CACHE_DIR: home.path('objects') };
    const child = home.start(['import', '-', '--table', 'n.t', '--warehouse', 's3://lake/w'], {
      env,
    });
    child.stdin?.end('id\n1\n');
    const end = ended(child);
    await vi.waitFor(() => expect(asked.join()).toMatch(/PUT [^,]*parquet/), 30_000);
    child.kill('SIGINT');
    const { code, stderr } = await end;
    expect(code).not.toBe(0);
    expect(stderr).toContain('whether the rows are in the table is unknown');
    await server.close();
    home.dispose();
  });
});

/** The next event of a kind that a process prints. */
function eventsOf(child: ChildProcess) {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return async (kind: string): Promise<unknown> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the process ended before "${kind}"`);
      const event = JSON.parse(value) as { readonly event: string };
      if (event.event === kind) return event;
    }
  };
}
