// @module-tag slow
/**
 * `lhs demo --serve`, then `lhs serve all` over its indexes, as processes: the README's requests,
 * drain, limits, lock, background sync.
 */
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ended, Home } from './child.ts';

const home = new Home();
const running: ChildProcess[] = [];
const ROOT = new URL('../../../', import.meta.url);

/** Ends the servers that tests have left. */
async function endAll(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
  }
}
afterAll(async () => {
  await endAll();
  home.dispose();
});

const FREE = ['--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0', '--json'];

interface Served {
  readonly url: string;
  readonly grpc: string;
  readonly indexes: readonly string[];
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: { out: string; err: string };
}

/** Starts a server on free ports and waits until it listens. */
async function serve(args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = home.start(['serve', 'all', ...FREE, ...args], { env });
  running.push(child);
  const printed = { out: '', err: '' };
  child.stderr?.on('data', (chunk) => {
    printed.err += chunk;
  });
  child.stdout?.on('data', (chunk) => {
    printed.out += chunk;
  });
  await vi.waitFor(() => {
    expect(printed.out, printed.err).toMatch(/^\{"url":.*\}$/m);
  });
  const line = printed.out.split('\n').find((one) => one.startsWith('{"url":')) as string;
  return { ...JSON.parse(line), child, printed } as Served;
}

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Pages whose requests with curl need no account. */
const CURL_PAGES = ['README.md', 'docs/serve.md', 'docs/search-adapter.md'];

/** The requests with curl of a page. */
const curlLines = (path: string): readonly string[] =>
  readFileSync(new URL(path, ROOT), 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('curl '));

describe('lhs demo --serve', () => {
  it('serves the indexes of the demo until it is stopped', async () => {
    const env = { LHS_REST_ADDR: '127.0.0.1:0', LHS_ADDR: '127.0.0.1:0' };
    const child = home.start(['demo', '--serve'], { env });
    running.push(child);
    let printed = '';
    child.stdout?.resume();
    child.stderr?.on('data', (chunk) => {
      printed += chunk;
    });
    await vi.waitFor(() => expect(printed).toMatch(/^REST +http.*\n[\s\S]*curl/m));
    const [, url] = /^REST +(\S+)$/m.exec(printed) as RegExpExecArray;
    const answer = await (await fetch(`${url}/v1/indexes`)).text();
    expect(answer).toContain('demo-incidents');
    const end = ended(child);
    child.kill('SIGTERM');
    expect((await end).code).toBe(0);
  });
});

/** In this order: the last of them ends the server. */
describe('a server over the indexes of the demo', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(['--search-adapter'], { LHS_SYNC_POLL_MS: '50' });
  });
  afterAll(endAll);

  it('answers the requests of the pages as they are printed', async () => {
    const { url, indexes } = served;
    expect(indexes).toEqual(['demo-incidents']);
    const pages = CURL_PAGES.map(curlLines);
    expect(pages.map(({ length }) => length > 0)).toEqual(CURL_PAGES.map(() => true));
    const lines = pages.flat();
    const { execFile } = await import('node:child_process');
    for (const line of lines) {
      const own = line.replaceAll('http://127.0.0.1:8080', url);
      const out = await new Promise<string>((resolve, reject) => {
        execFile('sh', ['-c', `${own} --fail-with-body`], (error, stdout) =>
          error === null ? resolve(stdout) : reject(new Error(`${line}: ${stdout}`)),
        );
      });
      expect(out, line).not.toBe('');
    }
  });

  it('keeps an index equal to its table, which another process changes', async () => {
    const { url } = served;
    const total = async () => {
      const body = { index: 'demo-incidents', query: 'title:zebracrossing' };
      return ((await (await post(`${url}/v1/search`, body)).json()) as { total: number }).total;
    };
    expect(await total()).toBe(0);
    const rows = home.path('rows.ndjson');
    const table = ['demo.incidents', '--warehouse', home.path('data', 'demo-lake')];
    const [row] = (await home.run(['source', 'rows', ...table, '--limit', '1'])).stdout.split('\n');
    writeFileSync(
      rows,
      `${JSON.stringify({ ...JSON.parse(row), id: 777001, title: 'zebracrossing' })}\n`,
    );
    const done = await home.run(['source', 'upsert', 'demo.incidents', rows, ...table.slice(1)]);
    expect(done.stderr).toBe('');
    await vi.waitFor(async () => expect(await total()).toBe(1));
  });

  it('refuses other writers and servers of the data folder, and lets readers in', async () => {
    const { child } = served;
    const writer = await home.run(['index', 'sync', 'demo-incidents']);
    expect(writer.code).toBe(5);
    expect(writer.stderr).toContain(`is served by process ${child.pid}`);
    const second = await home.run(['serve', 'all', ...FREE]);
    expect(second.code).toBe(5);
    expect(second.stdout).toContain(`process ${child.pid}`);
    const third = await home.run(['serve', 'all', ...FREE.filter((word) => word !== '--json')]);
    expect(third.stderr).toMatch(
      /served by process .*\n {2}stop it, or name another folder: --data-dir/,
    );
    const reader = await home.json<{ total: number }>(['search', 'demo-incidents', 'timeout']);
    expect(reader.total).toBeGreaterThan(100);
  });

  it('survives SIGHUP, and ends with exit code 0 after SIGTERM and its running calls', async () => {
    const { url, child } = served;
    child.kill('SIGHUP');
    const stream = await post(`${url}/v1/index:export`, { index: 'demo-incidents' });
    const end = ended(child);
    child.kill('SIGTERM');
    const lines = (await stream.text()).trim().split('\n');
    expect(lines.length).toBeGreaterThan(4000);
    expect((await end).code).toBe(0);
    const again = await serve();
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  });
});

describe('lhs serve all', () => {
  afterEach(endAll);

  it('limits the rate of an address, and says when to come again', async () => {
    const { url } = await serve([], {
      LHS_LIMITS_CALLS_PER_SECOND: '5',
      LHS_LIMITS_BURST: '5',
    });
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/v1/indexes`)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/lhs_calls_total\{operation="listIndexes",.*status="429"\} \d+/);
    expect(metrics).toMatch(/lhs_call_duration_seconds_bucket\{le="0.01",operation="listIndexes"/);
  });

  it('is open on this machine alone', async () => {
    const open = ['--rest-addr', '0.0.0.0:0', '--addr', '127.0.0.1:0'];
    const refused = await home.run(['serve', 'all', ...open]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('would let everybody in');
  });

  it('requires credentials with --auth, and prints the generated password once', async () => {
    const first = await serve(['--auth']);
    expect((await fetch(`${first.url}/v1/indexes`)).status).toBe(401);
    const [, password] = /user "admin", password "([^"]+)"/.exec(first.printed.err) ?? [];
    const login = { username: 'admin', password };
    const answer = await post(`${first.url}/v1/login`, login);
    const { token } = (await answer.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${first.url}/v1/indexes`, { headers })).status).toBe(200);
    await post(`${first.url}/v1/search`, { index: 'demo-incidents', query: 'canaryword' }, headers);
    const end = ended(first.child);
    first.child.kill('SIGTERM');
    await end;
    expect(first.printed.out).toContain('"log":"audit"');
    expect(first.printed.out).toContain('"operation":"search"');
    for (const secret of [password, token, 'canaryword']) {
      expect(first.printed.out).not.toContain(secret);
    }
    const second = await serve(['--auth']);
    expect(second.printed.err).not.toContain('password');
    expect((await post(`${second.url}/v1/login`, login)).status).toBe(200);
    await home.run(['serve', 'password', 'ann'], { input: 'another password\n' });
    const ann = { username: 'ann', password: 'another password' };
    expect((await post(`${second.url}/v1/login`, ann)).status).toBe(200);
  });
});

describe('lhs serve check', () => {
  it('reports the place of a fault, and prints the schema', async () => {
    writeFileSync(home.path('server.yaml'), 'auth: true\nlimits:\n  brst: 5\n');
    const faulty = await home.run(['serve', 'check', 'server.yaml']);
    expect(faulty.code).toBe(2);
    expect(faulty.stderr).toMatch(/server\.yaml:3:3: unknown setting .*burst/);
    writeFileSync(home.path('server.yaml'), 'auth: true\nlimits: { burst: 5 }\n');
    expect((await home.run(['serve', 'check', 'server.yaml'])).stdout).toContain('is valid');
    const schema = await home.json<{ title: string }>(['serve', 'check', '--schema']);
    expect(schema.title).toContain('lhs serve');
  });
});
