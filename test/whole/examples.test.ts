// @module-tag campaign
// @module-tag program
/**
 * The programs of `examples/` and of the pages, with the packages as npm packs them: compiled by
 * what `tsc --init` writes, and run. LHS_EXAMPLES names a folder with fastify and older versions of
 * TypeScript.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../packages/server/test/support/service.ts';
import { FOLDERS, link, packInto, ROOT, run, withOurs } from '../support/packed.ts';
import { blocksOf, testOf } from './pages/page-blocks.ts';

const OTHERS = process.env.LHS_EXAMPLES;
const skipped = OTHERS === undefined ? ' (skipped: LHS_EXAMPLES names no folder)' : '';
const folder = mkdtempSync(join(tmpdir(), 'lhs examples-'));
const app = join(folder, 'app');
const modules = join(app, 'node_modules');
const pages = join(folder, 'pages');
const children = new Set<ChildProcess>();
const programs = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.ts'));
/** The blocks of TypeScript in the pages that need no file beside them. */
const blocks = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
  ...FOLDERS.map((name) => `packages/${name}/README.md`),
].flatMap((path) =>
  blocksOf(ROOT, path)
    .filter(({ language, text }) => language === 'ts' && !text.includes("from './"))
    .map((block) => ({ ...block, path, file: `${path.replaceAll('/', '-')}-${block.line}.mts` })),
);
/** Those of packages/mcp/README.md that serve standard input. */
const stdio = blocks
  .filter((block) => testOf(block) === 'test/whole/examples.test.ts')
  .map(({ file }) => `../pages/${file}`);

beforeAll(() => {
  mkdirSync(app);
  const used = ['engine', 'client', 'lake', 'mcp', 'server'];
  const names = new Set(used.flatMap((name) => [...withOurs(name)]));
  packInto(join(folder, 'packed'), names);
  link(join(folder, 'packed'), [...names], app);
  cpSync(join(ROOT, 'examples'), app, { recursive: true });
  for (const name of ['@types', 'typescript', 'undici-types']) add(ROOT, name);
  if (OTHERS === undefined) rmSync(join(app, 'fastify.ts'));
  else add(OTHERS, 'fastify');
  mkdirSync(pages);
  symlinkSync(modules, join(pages, 'node_modules'));
  for (const { file, text } of blocks) writeFileSync(join(pages, file), text);
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function add(from: string, name: string): void {
  const source = join(from, 'node_modules', name);
  if (existsSync(source) && !existsSync(join(modules, name)))
    symlinkSync(source, join(modules, name));
}

describe('the examples compile', () => {
  const flags = ['--types', 'node', '--noEmit', '--allowImportingTsExtensions'];

  it('with the TypeScript of this clone, as --init leaves it', () => {
    compile(join(ROOT, 'node_modules/typescript/bin/tsc'), ['--init'], flags);
  });

  it.skipIf(OTHERS === undefined)(`with TypeScript 5.4, for modules of Node${skipped}`, () => {
    const init = ['--init', '--module', 'nodenext', '--target', 'es2022'];
    compile(join(OTHERS!, 'node_modules/typescript-5.4/bin/tsc'), init, flags);
  });

  it('and so do the blocks of the pages', () => {
    expect(blocks.length).toBeGreaterThan(20);
    expect(stdio).toHaveLength(1);
    compile(join(ROOT, 'node_modules/typescript/bin/tsc'), ['--init'], flags, pages);
  });
});

function compile(tsc: string, init: readonly string[], flags: readonly string[], cwd = app): void {
  rmSync(join(cwd, 'tsconfig.json'), { force: true });
  run(process.execPath, [tsc, ...init], cwd);
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', '.', ...flags], { cwd });
  expect(stdout.toString()).toBe('');
}

/** A running example, in a data folder, and the lines that it prints. */
function start(file: string, args: readonly string[] = [], env = {}) {
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const options = { cwd: app, env: { ...process.env, ...env }, stdio: [...stdio] };
  const child = spawn(process.execPath, [file, ...args], options) as ChildProcess;
  children.add(child);
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? '';
  return { child, ended, line };
}

const newData = () => mkdtempSync(join(folder, 'data of '));

describe('the example', () => {
  it('rows.ts finds the row that it has written', async () => {
    const { line, ended } = start('rows.ts', [newData()]);
    expect(await line()).toBe('a Timeouts in the parser 2026');
    expect(await ended).toEqual([0, null]);
  });

  it('worker.ts searches in a thread', async () => {
    const { line, ended } = start('worker.ts', [newData()]);
    expect(await line()).toBe('2 hits');
    expect(await ended).toEqual([0, null]);
  });

  it('follow.ts prints changes until it is interrupted', async () => {
    const { child, line, ended } = start('follow.ts', [newData()]);
    expect(await line()).toBe('1 rows changed, 0 deleted');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it.skipIf(OTHERS === undefined)(`fastify.ts serves a route${skipped}`, async () => {
    const { child, line, ended } = start('fastify.ts', [newData()], { PORT: '0' });
    const url = await line();
    const answer = await fetch(`${url}/search?q=service:billing`);
    expect(await answer.json()).toMatchObject({ total: 1 });
    expect((await fetch(`${url}/search?q=none:x`)).status).toBe(400);
    expect(await (await fetch(`${url}/search?q=`)).json()).toMatchObject({ total: 2 });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each(['agent.ts', ...stdio])('%s lists its tools', async (file) => {
    const data = newData();
    await start('worker.ts', [data]).ended;
    const { child, line, ended } = start(file, [data]);
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const send = (message: object) =>
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params });
    await line();
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
    expect(await line()).toMatch(/"name":"(docs_)?search"/);
    child.stdin!.end();
    expect(await ended).toEqual([0, null]);
  });

  describe('accounts.ts', () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({
        async prepare(_, data) {
          await start('worker.ts', [data]).ended;
        },
      });
    });
    afterAll(() => service?.stop());

    it('prints all hits for an API token', async () => {
      const LHS_TOKEN = (await service.token({ roles: ['reader'] })).replace('ApiKey ', '');
      const { line, ended } = start('accounts.ts', [], { LHS_URL: service.server.url, LHS_TOKEN });
      expect(await line()).toContain('Timeout');
      expect(await line()).toContain('Timeout');
      expect(await ended).toEqual([0, null]);
    });
  });

  it('of each file of the folder is run here, or compiled alone', () => {
    const run = ['accounts', 'agent', 'fastify', 'follow', 'rows', 'worker'];
    const compiled = ['browser', 'lake-table'];
    expect(programs.map((file) => file.replace('.ts', '')).sort()).toEqual(
      [...run, ...compiled].sort(),
    );
  });
});
