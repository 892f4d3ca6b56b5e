/** `lhs mcp` as a process: clients, 1,000 calls, every way to end; `lhs cite check`. */
import { writeFileSync } from 'node:fs';
import { openLocal } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentClient,
  type AgentPlace,
  connectAgent,
  connectFormerAgent,
  MCP_CLIENTS,
} from '../../../test/support/agent-client.ts';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { ended, Home, LHS, lines } from './child.ts';

const home = new Home();
let gateway: TestGateway;
const TABLE = ['--table', 't.notes', '--warehouse', home.path('lake')];

beforeAll(async () => {
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, title: `note ${id} of a timeout` }));
  writeFileSync(home.path('rows.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await home.json(['source', 'import', home.path('rows.ndjson'), ...TABLE, '--key', 'id']);
  const definition = [
    'version: 1',
    'index: notes',
    'description: notes about timeouts',
    'source: { catalog: { type: filesystem, warehouse: ./lake }, table: t.notes }',
    'fields: [{ name: title, type: TEXT, cached: true }]',
  ];
  writeFileSync(home.path('notes.yaml'), definition.join('\n'));
  await home.json(['index', 'create', home.path('notes.yaml')]);
  await home.json(['index', 'reindex', 'notes']);
  gateway = await startGateway(await openLocal(home.path('data')));
});
afterAll(async () => {
  await gateway?.close();
  home.dispose();
});

const ENV = () => ({
  PATH: process.env.PATH,
  LHS_DATA_DIR: home.path('data'),
  XDG_CONFIG_HOME: home.path('config'),
  XDG_CACHE_HOME: home.path('cache'),
});
const stdio = (...flags: string[]): AgentPlace => ({
  command: process.execPath,
  args: [LHS, 'mcp', ...flags],
  env: ENV(),
});

const CONNECTIONS: readonly (readonly [string, () => Promise<AgentClient>])[] = [
  ['the client of 2026', () => connectAgent(stdio(), 'auto')],
  ['a session of 2025', () => connectAgent(stdio(), 'legacy')],
  ['a service', () => connectAgent(stdio('--url', gateway.restUrl), 'auto')],
  ...(MCP_CLIENTS === undefined
    ? []
    : ([['version 1 of the client', () => connectFormerAgent(stdio())]] as const)),
];

describe.runIf(MCP_CLIENTS === undefined)('version 1 of the MCP client over stdio', () => {
  it.skip('is not tested: LHS_MCP_CLIENTS names no folder with it', () => {});
});

describe('lhs mcp', () => {
  it.each(CONNECTIONS)('answers over %s', async (_, connect) => {
    const agent = await connect();
    try {
      const [search] = await agent.tools();
      expect(search.description).toContain('notes about timeouts');
      const { structuredContent } = await agent.call('search', { query: 'timeout', limit: 2 });
      expect(structuredContent).toMatchObject({ index: 'notes', total: 50 });
      const citations = structuredContent.hits.map((hit: { citation: string }) => hit.citation);
      const checks = await agent.call('cite_check', { citations });
      expect(checks.structuredContent.checks).toMatchObject([
        { status: 'unchanged' },
        { status: 'unchanged' },
      ]);
    } finally {
      await agent.close();
    }
  });
});

function call(id: number, name: string, input: object): string {
  const params = { name, arguments: input };
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`;
}

describe('the streams of lhs mcp', () => {
  it('have a response per request and no other byte, for 1,000 calls', async () => {
    const calls = Array.from({ length: 1000 }, (_, id) => {
      if (id % 10 === 0) return call(id, 'search', { query: `"note ${id % 50}"`, limit: 1 });
      if (id % 10 === 1) return call(id, 'search', { query: 'nope:1' });
      if (id % 10 === 2) return call(id, 'no_tool', {});
      return call(id, 'list_indexes', {});
    });
    const done = await home.run(['mcp'], { input: calls.join('') });
    expect([done.code, done.stderr]).toEqual([0, '']);
    const answers = lines(done.stdout).map((line) => JSON.parse(line));
    const ids = answers.map(({ id }) => id).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, id) => id));
    const kind = ({ id, result, error }: (typeof answers)[number]) =>
      id % 10 === 2 ? error.code : (result.isError ?? false);
    for (const answer of answers) {
      const expected = answer.id % 10 === 2 ? -32602 : answer.id % 10 === 1;
      expect([answer.id, kind(answer)]).toEqual([answer.id, expected]);
    }
  });

  it.each([
    ['nothing', ''],
    ['blank lines and half a message', '\n\n{"jsonrpc":"2.0","id":1,'],
  ])('end with code 0 and no output after %s', async (_, input) => {
    const done = await home.run(['mcp'], { input });
    expect([done.code, done.stdout]).toEqual([0, '']);
  });

  it('go on after lines that are no messages', async () => {
    const input = `hello\n{"a":1}\n[]\n${call(7, 'list_indexes', {})}`;
    const done = await home.run(['mcp'], { input });
    expect(done.code).toBe(0);
    expect(lines(done.stdout).map((line) => JSON.parse(line).id)).toContain(7);
  });

  it('end with code 0 if the reader goes away', async () => {
    const child = home.start(['mcp']);
    const end = ended(child);
    child.stdin?.on('error', () => {});
    child.stdout?.once('data', () => child.stdout?.destroy());
    for (let id = 0; id < 500; id++) child.stdin?.write(call(id, 'describe_index', {}));
    expect((await end).code).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('end with code 0 at %s', async (signal) => {
    const child = home.start(['mcp']);
    const end = ended(child);
    child.stdout?.once('data', () => child.kill(signal));
    child.stdin?.write(call(1, 'list_indexes', {}));
    const { code, stdout } = await end;
    expect([code, JSON.parse(stdout).id]).toEqual([0, 1]);
  });

  it('refuse --json, which they cannot obey', async () => {
    const { code } = await home.run(['mcp', '--json']);
    expect(code).toBe(2);
  });
});

describe('lhs mcp config', () => {
  it('prints a configuration that starts this command', async () => {
    const { file, config } = await home.json<{ file: string; config: { mcpServers: object } }>([
      ...['mcp', 'config', '--client', 'claude'],
    ]);
    expect(file).toBe('claude_desktop_config.json');
    const args = ['mcp', '--data-dir', home.path('data')];
    expect(config.mcpServers).toEqual({ lhs: { command: 'lhs', args } });
  });

  it('of HTTP names the endpoint of the service', async () => {
    const flags = ['--client', 'cursor', '--http', '--url', 'https://s.example/'];
    const { config } = await home.json<{ config: object }>(['mcp', 'config', ...flags]);
    expect(config).toEqual({ mcpServers: { lhs: { url: 'https://s.example/mcp' } } });
    const { code, stderr } = await home.run(['mcp', 'config', '--client', 'cursor', '--http']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--url')]);
  });
});

describe('lhs cite check', () => {
  const statuses = async (citations: readonly string[], ...flags: string[]) => {
    const { code, stdout } = await home.run(['cite', 'check', ...citations, ...flags, '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly { status: string }[] };
    return [code, ...checks.map(({ status }) => status)];
  };

  it('says of rows whether they are unchanged, changed or deleted', async () => {
    const agent = await connectAgent(stdio(), 'auto');
    const { structuredContent } = await agent.call('hydrate', { keys: ['id=1', 'id=2', 'id=3'] });
    await agent.close();
    const cited = structuredContent.rows.map((row: { citation: string }) => row.citation);
    expect(await statuses(cited)).toEqual([0, 'unchanged', 'unchanged', 'unchanged']);
    const change = home.path('change.ndjson');
    writeFileSync(change, '{"id":2,"title":"another title"}\n');
    await home.json(['source', 'upsert', 't.notes', change, ...TABLE.slice(2)]);
    await home.json([
      'source',
      'delete',
      't.notes',
      ...TABLE.slice(2),
      '--where',
      'id = 3',
      '--yes',
    ]);
    const expected = [5, 'unchanged', 'changed', 'deleted'];
    expect(await statuses(cited)).toEqual(expected);
    expect(await statuses(cited, '--url', gateway.restUrl)).toEqual(expected);
    // neither a sync nor a new definition touches citations
    await home.json(['index', 'sync', 'notes']);
    expect(await statuses(cited)).toEqual(expected);
    const { stdout } = await home.run(['cite', 'check', ...cited]);
    expect(lines(stdout)[1]).toBe(`changed    ${cited[1]}`);
  });

  it('refuses what is no citation, and an index that is not there', async () => {
    expect((await home.run(['cite', 'check', 'lhs://x'])).code).toBe(2);
    expect((await home.run(['cite', 'check'])).code).toBe(2);
    const gone = `lhs://none@1/id=1?columns=id#${'0'.repeat(32)}`;
    expect((await home.run(['cite', 'check', gone])).code).toBe(3);
  });
});
