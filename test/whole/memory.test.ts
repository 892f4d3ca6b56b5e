// @module-tag campaign
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Job } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../support/effort.ts';
import { unusedPort } from '../support/unused-port.ts';

/**
 * Anonymous memory of real processes at the least budgets of docs/serve.md and docs/operations.md:
 * RssAnon of /proc/PID/status, so Linux alone. What is mapped from files does not count.
 */
const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/lhs.js', import.meta.url));
const MIB = 2 ** 20;
const ROWS = byEffort(20_000, 150_000);
const home = mkdtempSync(join(tmpdir(), 'lhs-memory-'));
const dataDir = join(home, 'data');
const LAKE = ['--warehouse', join(home, 'lake')];
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Words of a row: some hundred bytes, a hundred thousand terms. */
const words = (row: number): string =>
  Array.from(
    { length: 40 },
    (_, i) => `w${((row * 2_654_435_761 + i * 40_503) >>> 7) % 99_991}`,
  ).join(' ');

async function rowsFile(from: number, to: number): Promise<string> {
  const file = join(home, `rows-${from}.ndjson`);
  const rows = createWriteStream(file);
  for (let id = from; id < to; id++) rows.write(`{"id":${id},"body":"${words(id)}"}\n`);
  rows.end();
  await finished(rows);
  return file;
}

async function addresses(): Promise<readonly string[]> {
  const [rest, grpc] = [await unusedPort(), await unusedPort()];
  return ['--rest-addr', `127.0.0.1:${rest}`, '--addr', `127.0.0.1:${grpc}`];
}

/** The heap of Node in a container of 380 MiB; elsewhere it follows the memory of the machine. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=128' };

/** Starts a command; `anon` is the most anonymous memory seen, in bytes. */
function started(args: readonly string[], input?: string, heap: NodeJS.ProcessEnv = {}) {
  const settings = { LHS_DATA_DIR: dataDir, LHS_THREADS: '1', LHS_MEMORY: '304MiB' };
  const env = { ...process.env, ...settings, ...heap };
  const child = spawn(process.execPath, [COMMAND, ...args], { env });
  const seen = { anon: 0, out: '', errors: '' };
  child.stdout.on('data', (text) => {
    seen.out += text;
  });
  child.stderr.on('data', (text) => {
    seen.errors += text;
  });
  child.stdin.end(input);
  const timer = setInterval(() => {
    seen.anon = Math.max(seen.anon, anonymous(child));
  }, 20);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, seen, ended: ended.finally(() => clearInterval(timer)) };
}

function anonymous({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function run(
  args: readonly string[],
  input?: string,
): Promise<{ anon: number; out: string }> {
  const { seen, ended } = started(args, input);
  expect([await ended, seen.errors]).toEqual([0, seen.errors]);
  return seen;
}

describe.skipIf(process.platform !== 'linux')('the memory of a process', () => {
  beforeAll(async () => {
    const file = await rowsFile(0, ROWS);
    await run(['source', 'import', file, '--table', 'm.rows', ...LAKE, '--key', 'id']);
    const { out } = await run(['index', 'init', 'm.rows', ...LAKE, '--name', 'rows']);
    await run(['index', 'create', '-'], out);
  });

  it('stays within --memory during a reindex with the least that is allowed', async () => {
    const reindex = ['index', 'reindex', 'rows', '--threads', '1', '--memory'];
    const { anon } = await run([...reindex, '224MiB']);
    expect(anon).toBeGreaterThan(20 * MIB);
    expect(anon).toBeLessThan(224 * MIB);
    const { seen, ended } = started([...reindex, '223MiB']);
    expect(await ended).toBe(2);
    expect(seen.errors).toContain('memory_bytes');
  });

  it('stays within the budget of a server that searches, which refuses a reindex', async () => {
    const listens = await addresses();
    const [, rest] = listens;
    const { child, seen, ended } = started(['serve', 'all', '--no-sync', ...listens]);
    const log = () => seen.out + seen.errors;
    await expect.poll(log, { timeout: 60_000 }).toContain('"msg":"listening"');
    const post = (path: string, body: object) =>
      fetch(`http://${rest}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (let i = 0; i < byEffort(100, 300); i++) {
      const [one, two] = words(i).split(' ');
      const query = i % 3 === 0 ? `${one}* OR ${two}` : `${one} OR ${two}`;
      const found = await post('/v1/search', { index: 'rows', query, limit: 20, hydrate: true });
      expect(found.status).toBe(200);
    }
    for (const [path, body] of [
      ['/v1/index:reindex', { index: 'rows' }],
      ['/v1/jobs', { kind: 'reindex', index: 'rows' }],
    ] as const) {
      const refused = await post(path, body);
      expect(await refused.json()).toMatchObject({ error: { code: 'limit_exceeded' } });
    }
    const listed = await fetch(`http://${rest}/v1/jobs?index=rows`);
    const jobs = (await listed.json()) as readonly Job[];
    expect(jobs.filter(({ state }) => state !== 'done')).toEqual([]);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(seen.anon).toBeLessThan(304 * MIB);
  });

  it('stays within the budget of a server that syncs many rows of one snapshot', async () => {
    const file = await rowsFile(ROWS, 2 * ROWS);
    await run(['source', 'import', file, '--table', 'm.rows', ...LAKE, '--append']);
    const serve = ['serve', 'all', ...(await addresses())];
    const { child, seen, ended } = started(serve, undefined, HEAP);
    const log = () => seen.out + seen.errors;
    await expect.poll(log, { timeout: 300_000 }).toContain('"msg":"sync commit"');
    await expect.poll(log, { timeout: 300_000 }).toContain(`"inserted":${ROWS}`);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    console.log('ANON', seen.anon / MIB);
    expect(seen.anon).toBeGreaterThan(20 * MIB);
    expect(seen.anon).toBeLessThan(304 * MIB);
  });
});
