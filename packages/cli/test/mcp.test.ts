// @module-tag campaign
// @module-tag program
/** `lhs mcp` as a process: clients, 1,000 calls, every way to end; `lhs cite check`. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentClient,
  type AgentPlace,
  citationsOf,
  connectAgent,
  connectFormerAgent,
  MCP_CLIENTS,
  textOf,
} from '../../../test/support/agent-client.ts';
import { byEffort } from '../../../test/support/effort.ts';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { ended, Home, LHS, lines } from './child.ts';

const home = new Home();
let gateway: TestGateway;
const TABLE = ['--table', 't.notes', '--warehouse', home.path('lake')];

beforeAll(async () => {
  const note = (id: number) => ({ id, title: `note ${id} of a timeout`, owner: 'Ruth' });
  const rows = Array.from({ length: 50 }, (_, id) => note(id));
  writeFileSync(home.path('rows.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await home.json(['source', 'import', home.path('rows.ndjson'), ...TABLE, '--key', 'id']);
  const definition = [
    'version: 1',
    'index: notes',
    'description: notes about timeouts',
    'source: { catalog: { type: filesystem, warehouse: ./lake }, table: t.notes }',
    'fields:',
    '  - { name: title, type: TEXT, cached: true }',
    '  - { name: owner, type: KEYWORD }',
  ];
  writeFileSync(home.path('notes.yaml'), definition.join('\n'));
  await home.json(['index', 'create', home.path('notes.yaml')]);
  await home.json(['index', 'reindex', 'notes']);
  gateway = await startGateway(await openEngine(home.path('data'), { create: true, threads: 0 }));
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
  it('says where words are that were not found, and what matched', async () => {
    const agent = await connectAgent(stdio(), 'auto');
    try {
      const none = await agent.call('search', { query: 'ruth' });
      expect(none.structuredContent).toMatchObject({
        ...{ total: 0, suggested_query: 'owner:Ruth' },
        notes: ['each clause alone: ruth: 0, owner:Ruth has 50'],
      });
      const { structuredContent } = await agent.call('search', { query: 'owner:Ruth', limit: 1 });
      expect(structuredContent.hits).toMatchObject([{ highlight: { owner: '«Ruth»' } }]);
    } finally {
      await agent.close();
    }
  });

  it.each(CONNECTIONS)('answers over %s', async (_, connect) => {
    const agent = await connect();
    try {
      const [search] = await agent.tools();
      expect(search.description).toContain('notes about timeouts');
      const found = await agent.call('search', { query: 'timeout', limit: 2 });
      expect(found.structuredContent).toMatchObject({ index: 'notes', total: 50 });
      const checks = await agent.call('cite_check', { citations: citationsOf(found) });
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
    ['blank lines', '\n\n \r\n'],
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

  it('answer a last line without an end, and a first one behind a byte order mark', async () => {
    const input = `\uFEFF${call(1, 'list_indexes', {})}${call(2, 'list_indexes', {}).trimEnd()}`;
    const done = await home.run(['mcp'], { input });
    expect([done.code, done.stderr]).toEqual([0, '']);
    const ids = lines(done.stdout).map((line) => JSON.parse(line).id);
    expect(ids.sort()).toEqual([1, 2]);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,', null, -32700, 'the message is not JSON'],
    ['{"jsonrpc":"2.0","id":1,"id":2}', 2, -32600, 'has the name "id" twice'],
    ['[]', null, -32600, 'a message is a JSON object'],
    ['{"jsonrpc":"1.0","id":3,"method":"tools/list"}', 3, -32600, '"jsonrpc" should be "2.0"'],
    ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', null, -32600, '"id" should be a string'],
    ['{"jsonrpc":"2.0","id":"a","method":5}', 'a', -32600, '"method" should be a string'],
    ['{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[]}', 4, -32600, '"params" should be'],
  ])('refuse %s in a response', async (line, id, code, message) => {
    const done = await home.run(['mcp'], { input: line });
    expect(done.code).toBe(0);
    const answer = JSON.parse(done.stdout);
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(answer.error.message).toContain(message);
  });

  it.each([
    ['tools/call', { name: 'search', arguments: [] }, '"params.arguments"'],
    ['tools/call', { name: 5 }, '"params.name"'],
    ['tools/call', null, '"params"'],
    ['resources/read', { uri: null }, '"params.uri"'],
    [
      'prompts/get',
      { name: 'ask_index', arguments: { question: 5 } },
      '"params.arguments.question"',
    ],
  ])('name what is wrong with %s %j in a sentence', async (method, params, name) => {
    const input = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { error } = JSON.parse((await home.run(['mcp'], { input })).stdout);
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining(`${name}: expected`),
    });
    expect(error.message).not.toMatch(/[[{\n]|invalid_type/);
  });

  it('take null for what is left out', async () => {
    const nulls = {
      query: 'timeout',
      limit: null,
      filter: null,
      mode: null,
      cursor: null,
      fields: null,
    };
    const input = [call(1, 'search', { query: 'timeout' }), call(2, 'search', nulls)].join('');
    const other = [
      { id: 3, method: 'tools/call', params: { name: 'list_indexes', arguments: null } },
      { id: 4, method: 'tools/list', params: { cursor: null, _meta: null } },
      { id: 5, method: 'tools/list', params: null },
    ]
      .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
      .join('\n');
    const done = await home.run(['mcp'], { input: input + other });
    const answers = lines(done.stdout).map((line) => JSON.parse(line));
    const result = (id: number) => answers.find((answer) => answer.id === id).result;
    expect(result(2)).toEqual(result(1));
    expect(result(3).structuredContent.indexes).toMatchObject([{ name: 'notes' }]);
    expect(result(4)).toEqual(result(5));
  });

  it('refuse a folder without data, by name, and do not make it', async () => {
    const folder = home.path('nowhere');
    const done = await home.run(['mcp', '--data-dir', folder], { input: '' });
    expect([done.code, done.stdout]).toEqual([2, '']);
    expect(done.stderr).toContain(`"${folder}" is no data folder`);
    expect(existsSync(folder)).toBe(false);
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

  it.each([
    [['--tools', 'search,serch'], 'no tool "serch"; did you mean "search"?'],
    [['--tool-prefix', 'a b'], 'the prefix of tools is "a b"'],
  ])('refuse %j before a client connects', async (flags, message) => {
    const done = await home.run(['mcp', ...flags], { input: '' });
    expect([done.code, done.stdout]).toEqual([2, '']);
    expect(done.stderr).toContain(message);
  });

  it('refuse --json, which they cannot obey', async () => {
    const { code } = await home.run(['mcp', '--json']);
    expect(code).toBe(2);
  });
});

/** The server of a printed configuration: JSON, or TOML whose values are JSON. */
function serverIn(text: string): { command: string; args: string[] } {
  if (text.startsWith('{')) {
    const { mcpServers, servers } = JSON.parse(text);
    return (mcpServers ?? servers).lhs;
  }
  const [table, ...lines] = text.trim().split('\n');
  expect(table).toBe('[mcp_servers.lhs]');
  return JSON.parse(`{${lines.map((line) => line.replace(/^(\w+) = /, '"$1": ')).join(',')}}`);
}

describe('lhs mcp config', () => {
  it.each(byEffort(['claude', 'codex'], ['claude', 'vscode', 'cursor', 'codex', 'gemini']))(
    'prints for %s a configuration that starts without an environment',
    async (client) => {
      const { code, stdout } = await home.run(['mcp', 'config', '--client', client]);
      expect(code).toBe(0);
      const { command, args } = serverIn(stdout);
      expect(args.slice(1)).toEqual(['mcp', '--data-dir', home.path('data')]);
      const child = spawn(command, args, { cwd: '/', env: {} });
      const end = ended(child);
      child.stdin.end(call(1, 'list_indexes', {}));
      const answer = await end;
      expect([answer.code, answer.stderr]).toEqual([0, '']);
      expect(JSON.parse(answer.stdout)).toMatchObject({ id: 1, result: {} });
    },
  );

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
    const now = await agent.call('hydrate', { keys: ['id=1', 'id=2'] });
    const { rows } = now.structuredContent;
    expect(rows.map(({ newer }: { newer?: true }) => newer)).toEqual([undefined, true]);
    expect(textOf(now)).toContain('newer: true');
    await agent.close();
    const expected = [5, 'unchanged', 'changed', 'deleted'];
    expect(await statuses(cited)).toEqual(expected);
    expect(await statuses(cited, '--url', gateway.restUrl)).toEqual(expected);
    const hydrated = await home.run(['search', 'notes', '"note 2"', '--hydrate']);
    const read = await home.run(['keys', 'get', 'notes', 'id=2']);
    for (const { stdout } of [hydrated, read]) {
      expect(stdout).toMatch(/row written after the snapshot of the index:\n.*id/);
    }
    // neither a sync nor a new definition touches citations
    await home.json(['index', 'sync', 'notes']);
    expect(await statuses(cited)).toEqual(expected);
    const { stdout } = await home.run(['cite', 'check', ...cited]);
    expect(lines(stdout)[1]).toBe(`changed     ${cited[1]}`);
    const invented = cited[0].replace(/#.{8}/, '#00000000');
    expect(await statuses([invented])).toEqual([5, 'never_true']);
    const [, snapshot] = /@(\d+)/.exec(cited[2]) ?? [];
    const absent = ['keys', 'get', 'notes', 'id=3'];
    const past = await home.json<{ rows: object[] }>([...absent, '--as-of', snapshot]);
    expect(past.rows).toMatchObject([{ fields: { title: 'note 3 of a timeout' } }]);
    expect((await home.run(absent)).code).toBe(3);
    expect((await home.run([...absent, '--as-of', '42'])).stderr).toContain(
      'snapshot 42 is not in',
    );
  });

  it('goes on after what is no citation, and an index that is not there', async () => {
    expect((await home.run(['cite', 'check'])).code).toBe(2);
    const gone = `lhs://none@1/id=1?columns=id#${'0'.repeat(32)}`;
    expect(await statuses(['lhs://x', gone])).toEqual([5, 'unreadable', 'unreadable']);
  });
});
