// @module-tag campaign
// @module-tag program
/**
 * The engine in programs of users: in a worker thread, by `require()`, in a bundle, under Bun and
 * Deno. LHS_NODES names more Nodes (paths, separated by colons), LHS_RUNTIMES a folder with the npm
 * packages bun and deno.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../support/effort.ts';
import {
  dependenciesOf,
  installedBytes,
  link,
  manifestOf,
  packInto,
  requiredBy,
  run,
  withOurs,
} from '../support/packed.ts';

const NODES = [process.execPath, ...(process.env.LHS_NODES ?? '').split(':').filter(Boolean)];
const EXTERNAL = [/^(better-sqlite3|@koromix\/|@duckdb\/)/];
const ENGINE = '@lakehouse-search/engine';
const WORKERS = Object.keys(manifestOf('engine').exports ?? {})
  .filter((name) => name.endsWith('-worker'))
  .map((name) => name.slice('./'.length));

/** Opens, writes, builds, merges, verifies and searches; prints what it found. */
const WORK = `
let workers = 0;
process.on('worker', () => workers++);
async function work({ openCollection, text }, dataDir, threads) {
  const columns = { id: 'string', title: text(process.env.LANGUAGE_OF_TEXT ?? 'english') };
  const docs = await openCollection(dataDir, 'docs', columns, { engine: { threads } });
  const rows = Array.from({ length: 300 }, (_, i) => ({ id: String(i), title: 'timeouts' }));
  await docs.upsert(rows);
  await docs.upsert(rows.slice(100).map(({ id }) => ({ id, title: 'nothing' })));
  const { backend } = docs;
  await backend.indexes.reindex({ index: 'docs', threads: threads === 0 ? 1 : threads });
  await docs.delete(['0']);
  await backend.indexes.compact({ index: 'docs' });
  const { equal } = await backend.indexes.verify({ index: 'docs', deep: true });
  const { total } = await docs.search('timeout');
  await docs.close();
  console.log(JSON.stringify({ equal, total, threaded: workers > 0 }));
}
const [dataDir, threads] = process.argv.slice(-2);
const count = threads === 'default' ? undefined : Number(threads);
`;
/** Numbers of threads besides 2. */
const COUNTS = byEffort([], ['default']);
/** Of 300 rows, the first 100 match, and the first is deleted. */
const FOUND = { equal: true, total: 99 };

const folder = mkdtempSync(join(tmpdir(), 'lhs embedded-')); // a path with a space
const app = join(folder, 'app');
let runs = 0;

/** What a program found with a number of threads. */
function work(command: string, args: readonly string[], threads: string, cwd = app): unknown {
  return JSON.parse(run(command, [...args, join(folder, `data${runs++}`), threads], cwd));
}

const IMPORTED = `${WORK}
await work(await import('${ENGINE}/collection'), dataDir, count);`;

beforeAll(() => {
  packInto(join(folder, 'packed'), withOurs('engine'));
  mkdirSync(app);
  link(join(folder, 'packed'), [...withOurs('engine')], app);
  writeFileSync(join(app, 'imported.mjs'), IMPORTED);
  const required = `work(require('${ENGINE}/collection'), dataDir, count);`;
  writeFileSync(join(app, 'required.cjs'), WORK + required);
  const starter = `
    const { Worker } = require('node:worker_threads');
    const worker = new Worker('./imported.mjs', { argv: process.argv.slice(-2) });
    worker.on('error', (error) => { throw error; });`;
  writeFileSync(join(app, 'starter.cjs'), starter);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(NODES)('the engine, with %s', (node) => {
  it.each(['imported.mjs', 'required.cjs', 'starter.cjs'])('works in %s', (program) => {
    for (const threads of COUNTS) expect(work(node, [program], threads)).toMatchObject(FOUND);
    expect(work(node, [program], '2')).toEqual({ ...FOUND, threaded: true });
  });
});

describe('the engine without optional packages', () => {
  it('builds and searches plain rows and Parquet of this machine, in 80 MB', () => {
    const bare = join(folder, 'bare');
    const names = [...withOurs('engine')];
    mkdirSync(bare);
    link(join(folder, 'packed'), names, bare, requiredBy);
    writeFileSync(join(bare, 'imported.mjs'), IMPORTED);
    expect(work(process.execPath, ['imported.mjs'], 'default', bare)).toMatchObject(FOUND);
    const [all, required] = [dependenciesOf, requiredBy].map((needs) =>
      installedBytes(app, names, needs),
    );
    const shown = [all, required].map((bytes) => Math.round(bytes / 1e6));
    console.log('engine: %d MB, without optional packages %d MB', ...shown);
    expect(required).toBeLessThan(80e6);
  });

  it('names DuckDB where only it can read or write', () => {
    const program = `
import { importFiles } from '@lakehouse-search/lake';
const catalog = { type: 'filesystem', warehouse: './lake' };
const files = ['rows.ndjson'];
await importFiles({ catalog, table: 'a.b', files }).catch((e) => console.log(e.code, e.message));`;
    writeFileSync(join(folder, 'bare/rows.ndjson'), '{"id":1}\n');
    writeFileSync(join(folder, 'bare/import.mjs'), program);
    const printed = run(process.execPath, ['import.mjs'], join(folder, 'bare'));
    expect(printed).toMatch(/^unsupported this needs the package "@duckdb\/node-api"/);
  });
});

describe('a bundle of the engine', () => {
  /** A bundle of the program with more entries, in a folder of its own. */
  async function bundled(workers: readonly string[]): Promise<string> {
    const entries = workers.map((name) => [name, `${ENGINE}/${name}`]);
    const input = { program: join(app, 'imported.mjs'), ...Object.fromEntries(entries) };
    const bundle = await rolldown({ input, platform: 'node', external: EXTERNAL, cwd: app });
    const dir = mkdtempSync(join(folder, 'bundle-'));
    await bundle.write({ dir, format: 'esm' });
    await bundle.close();
    symlinkSync(join(app, 'node_modules'), join(dir, 'node_modules'));
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    return dir;
  }

  it('searches, builds, merges and verifies in the calling thread without workers', async () => {
    const dir = await bundled([]);
    const ran = work(process.execPath, ['program.js'], 'default', dir);
    expect(ran).toEqual({ ...FOUND, threaded: false });
    expect(() => work(process.execPath, ['program.js'], '2', dir)).toThrow(
      /shard-worker\.js", which is missing[\s\S]*add "@lakehouse-search\/engine\/shard-worker" to/,
    );
    const german = ['LANGUAGE_OF_TEXT=german', process.execPath, 'program.js'];
    expect(() => work('env', german, 'default', dir)).toThrow('has no stemmer of "german"');
  });

  it('uses threads if its workers lie beside it, and names the one that is missing', async () => {
    const dir = await bundled(WORKERS);
    const ran = (threads: string) => work(process.execPath, ['program.js'], threads, dir);
    for (const threads of [...COUNTS, '2'])
      expect(ran(threads)).toEqual({ ...FOUND, threaded: true });
    rmSync(join(dir, 'merge-worker.js'));
    expect(ran('default')).toMatchObject(FOUND);
    expect(() => ran('2')).toThrow(/merge-worker\.js", which is missing/);
  });
});

describe('other runtimes', () => {
  const home = join(process.env.LHS_RUNTIMES ?? folder, 'node_modules');
  const platform = `${process.platform}-${process.arch}`;
  const programs = {
    bun: [join(home, `@oven/bun-${platform}/bin/bun`)],
    deno: [join(home, `@deno/${platform}-glibc/deno`), 'run', '-A', '--node-modules-dir=manual'],
  };

  for (const [name, [program, ...args]] of Object.entries(programs)) {
    const isHere = existsSync(program);
    const why = isHere ? '' : ` (skipped: LHS_RUNTIMES names no folder with ${name})`;
    it.skipIf(!isHere)(`${name} runs the engine${why}`, () => {
      for (const threads of ['default', '0', '2']) {
        expect(work(program, [...args, 'imported.mjs'], threads)).toMatchObject(FOUND);
      }
    });
  }
});
