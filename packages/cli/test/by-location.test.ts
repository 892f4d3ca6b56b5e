// @module-tag campaign
// @module-tag program
/** Indexes that are published in a folder, named by their location on the command line. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectAgent } from '../../../test/support/agent-client.ts';
import { Home, LHS } from './child.ts';
import { startServed } from './served.ts';

const home = new Home();
const TABLE = ['--table', 't.notes', '--warehouse', home.path('lake')];
const place = home.path('the place');
const location = `${place}/notes`;
const url = `'${pathToFileURL(location).href}'`.replace(/^'(\S*)'$/, '$1');

async function importRows(from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    return JSON.stringify({ id: from + i, title: `note ${from + i} of a timeout` });
  });
  writeFileSync(home.path('rows.ndjson'), rows.join('\n'));
  const append = from === 0 ? ['--key', 'id'] : ['--append'];
  await home.json(['source', 'import', home.path('rows.ndjson'), ...TABLE, ...append]);
}

beforeAll(async () => {
  await importRows(0, 30);
  for (const name of ['notes', 'others']) {
    const file = home.path(`${name}.yaml`);
    writeFileSync(file, `version: 1\nindex: ${name}\nstorage: ${JSON.stringify(place)}\n`);
    appendFileSync(file, 'source: { catalog: { type: filesystem, warehouse: ./lake }, ');
    appendFileSync(file, 'table: t.notes }\nfields: [{ name: title, type: TEXT, cached: true }]\n');
  }
  await home.json(['index', 'apply', home.path('notes.yaml')]);
});
afterAll(() => home.dispose());

/** Where nothing is but the cache. */
const elsewhere = { LHS_DATA_DIR: home.path('nothing') };
const run = (...args: string[]) => home.run(args, { env: elsewhere });

describe('a location', () => {
  it('stands for the index in each command that is printed', async () => {
    expect(url).toContain('the%20place');
    const search = await run(location, 'timeout', '--limit', '1');
    expect(search.stdout).toContain(`next: lhs search ${url} timeout --limit 1 --offset 1\n`);
    const nothing = await run('search', location, 'zzz');
    expect(nothing.stdout).toContain(`fields: lhs index describe ${url}\n`);
    const described = await run('index', 'describe', location);
    expect(described.stdout).toContain(`next: lhs search ${url} 'some words'\n`);
    const wrong = await run('search', location, 'tilte:x');
    expect(wrong.stderr).toContain(`  lhs index describe ${url}\n`);
    const doctor = await run('doctor', location);
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(doctor.stdout).not.toContain('backup');
  });

  it('is continued by a sync, which a create of its index says', async () => {
    const env = { LHS_DATA_DIR: home.path('a third') };
    const file = home.path('notes.yaml');
    const created = await home.run(['index', 'create', file], { env });
    expect(created.stdout).toContain('next: lhs index sync notes\n');
    const sync = await home.run(['index', 'sync', 'notes'], { env });
    expect(sync).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['index', 'sync', location],
    ['index', 'drop', location, '--yes'],
    ['index', 'clone', location, 'copy'],
    ['alias', 'set', 'foo', location],
  ])('is not written: %s %s', async (...args) => {
    const done = await run(...args);
    expect(done.code).not.toBe(0);
    const command = args.map((word) => (word === location ? 'notes' : word)).join(' ');
    expect(done.stderr).toContain(`  on the machine that publishes it: lhs ${command}\n`);
  });

  it('names the indexes of its place if its own is none', async () => {
    const near = await run('search', `${place}/note`, 'x');
    expect(near.stderr).toContain('has no index "note"; did you mean "notes"?');
    const whole = await run('search', place, 'x');
    expect(whole.stderr).toContain('indexes: notes');
  });
});

describe('a sync that has no rows to apply', () => {
  it('says what it has published', async () => {
    const sync = async () => (await home.run(['index', 'sync', 'notes'])).stdout;
    expect(await sync()).toBe('notes is at the table’s head: nothing to do\n');
    rmSync(place, { recursive: true });
    expect(await sync()).toBe('notes is at the table’s head: published as commit 2\n');
    expect((await run('search', location, 'timeout')).stdout).toContain('30 hits');
  });
});

describe('a place', () => {
  it('is served to read, with commits and indexes that come later', async () => {
    const served = await startServed(home, ['--storage', place], elsewhere);
    const post = async (path: string, body: object) => {
      const method = 'POST';
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(served.url + path, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { total?: number; error?: { code: string } };
    };
    const search = (index: string) => post('/v1/search', { index, query: 'timeout' });
    try {
      expect(served.indexes).toEqual(['notes']);
      expect((await search('notes')).total).toBe(30);
      expect((await post('/v1/index:sync', { index: 'notes' })).error?.code).toBe('unsupported');
      const sync = await run('index', 'sync', 'notes', '--url', served.url);
      expect(sync.stderr).toContain('  on the machine that publishes it: lhs index sync notes\n');
      await importRows(30, 5);
      const behind = '1 snapshot behind (synced where it is published)';
      expect((await run('search', location, 'timeout')).stdout).toContain(behind);
      const status = (await run('index', 'status', location)).stdout;
      expect(status).toMatch(/^sync +where it is published$/m);
      expect(status).not.toMatch(/^next/m);
      await home.json(['index', 'sync', 'notes']);
      await home.json(['index', 'apply', home.path('others.yaml')]);
      await vi.waitFor(async () => {
        expect((await search('notes')).total).toBe(35);
        expect((await search('others')).total).toBe(35);
      });
      await home.json(['index', 'drop', 'others', '--yes']);
      await vi.waitFor(async () => {
        expect((await search('others')).error?.code).toBe('index_not_found');
      });
    } finally {
      await served.stop();
    }
  });

  it('is served to agents', async () => {
    const agent = await connectAgent(
      {
        command: process.execPath,
        args: [LHS, 'mcp', '--storage', place],
        env: { ...elsewhere, PATH: process.env.PATH, XDG_CACHE_HOME: home.path('cache') },
      },
      'auto',
    );
    const { structuredContent } = await agent.call('list_indexes', {});
    expect(structuredContent).toMatchObject({ indexes: [{ name: 'notes' }] });
    await agent.close();
    const config = await run('mcp', 'config', '--client', 'claude', '--storage', place);
    expect(config.stdout).toContain(`"--storage",`);
    expect(config.stdout).toContain(JSON.stringify(pathToFileURL(place).href));
  });
});
