// @module-tag campaign
// @module-tag program
/** `POST /mcp`: the official clients, callers and tenants, hostile requests. */
import { execFile } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Principal, VERSION } from '@lakehouse-search/contract';
import type { CallRecord } from '@lakehouse-search/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentClient,
  citationsOf,
  connectAgent,
  connectFormerAgent,
  MCP_CLIENTS,
  textOf,
} from '../../../test/support/agent-client.ts';
import { byEffort } from '../../../test/support/effort.ts';
import { seededNumbers } from '../../../test/support/random.ts';
import { openAccess } from '../src/access/open-access.ts';
import { createGateway } from '../src/index.ts';
import { type ServedNotes, serveNotes } from './served-notes.ts';

let served: ServedNotes;
let agent: AgentClient;
const records: CallRecord[] = [];

beforeAll(async () => {
  served = await serveNotes({ observer: { ended: (record) => records.push(record) } });
  agent = await connectAgent({ url: served.restUrl }, 'auto');
});
afterAll(async () => {
  await agent?.close();
  await served?.close();
});

/** The header of a caller; the access of the test believes it. */
const header = (caller: Partial<Principal>) => {
  const principal = { subject: 'ann', scopes: ['search', 'index_read'], ...caller };
  return `Test ${encodeURIComponent(JSON.stringify(principal))}`;
};
const keysOf = (result: { structuredContent?: { hits: readonly { key: string }[] } }) =>
  result.structuredContent?.hits.map(({ key }) => key).sort();

const CLIENTS: readonly (readonly [string, () => Promise<AgentClient>])[] = [
  ['the client of 2026', () => connectAgent({ url: served.restUrl }, 'auto')],
  ['the client in a session of 2025', () => connectAgent({ url: served.restUrl }, 'legacy')],
  ...(MCP_CLIENTS === undefined
    ? []
    : ([['version 1 of the client', () => connectFormerAgent({ url: served.restUrl })]] as const)),
];

describe.runIf(MCP_CLIENTS === undefined)('version 1 of the MCP client over HTTP', () => {
  it.skip('is not tested: LHS_MCP_CLIENTS names no folder with it', () => {});
});

describe.each(CLIENTS)('POST /mcp, called by %s', (_, connect) => {
  let client: AgentClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client?.close());

  it('lists read-only tools with schemas, in one order', async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['search', 'similar', 'hydrate', 'aggregate', 'list_indexes', 'describe_index'],
      'cite_check',
    ]);
    for (const tool of tools) {
      expect(tool.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.title).toBeTruthy();
    }
  });

  it('answers each tool with text and a structure of its schema', async () => {
    const found = await client.call('search', { query: 'disk', detail: 'full' });
    expect(keysOf(found)).toEqual(['id=a', 'id=b']);
    const [first] = found.structuredContent.hits;
    expect(first.row).toMatchObject({ title: expect.stringContaining('disk') });
    const read = await client.call('hydrate', { keys: ['id=c', 'id=x'], columns: ['size'] });
    expect(read.structuredContent).toMatchObject({
      rows: [{ key: 'id=c', row: { size: String(3n ** 35n) } }],
      missing: ['id=x'],
    });
    const groups = await client.call('aggregate', { terms: 'org' });
    expect(groups.structuredContent.results.terms.buckets).toMatchObject([
      { key: 'acme', doc_count: 2 },
      { key: 'rival', doc_count: 1 },
    ]);
    const checks = await client.call('cite_check', { citations: citationsOf(found).slice(0, 1) });
    expect(checks.structuredContent.checks).toMatchObject([{ status: 'unchanged' }]);
    const list = await client.call('list_indexes');
    expect(list.structuredContent.indexes).toMatchObject([{ name: 'notes', rows: 3 }]);
    const described = await client.call('describe_index');
    expect(described.structuredContent.key).toEqual(['id']);
    for (const result of [found, read, groups, checks, list, described]) {
      expect(textOf(result).length).toBeGreaterThan(0);
    }
  });

  it('has the resources and the prompt of the index', async () => {
    const uris = (await client.resources()).map(({ uri }) => uri);
    expect(uris).toEqual(['lhs://docs/query-syntax', 'lhs://indexes/notes/mapping']);
    expect(JSON.parse(await client.read(uris[1]))).toMatchObject({ index: 'notes' });
    expect(await client.read(uris[0])).toContain('field:[1 TO 5]');
    await expect(client.read('lhs://indexes/none/mapping')).rejects.toThrow(/no index/);
    const lesson = await client.prompt('ask_index', { question: 'how many?' });
    expect(lesson).toContain('`org:(one OR other)`');
    expect(lesson).toContain('how many?');
  });
});

describe('errors of tools', () => {
  it.each([
    [
      'search',
      { query: 'titel:disk' },
      ['perhaps you mean title:disk (2 hits)', 'query syntax', 'fields: '],
    ],
    [
      'search',
      { query: 'a', sort: 'title' },
      ['title', 'no field of index "notes" groups or sorts "title" whole'],
    ],
    ['search', { query: '"open' }, ['invalid_query', 'at character']],
    ['search', { qeury: 'disk' }, ['did you mean "query"']],
    ['search', { query: 'disk', limit: 0 }, ['"limit" is 0', '1 to 500']],
    ['search', { query: 'disk', cursor: 'x' }, ['belongs to another call']],
    ['search', { query: 'disk', index: 'nots' }, ['index_not_found', 'indexes: notes']],
    ['aggregate', { terms: 'title' }, ['title', 'fields with an order: ']],
    [
      'aggregate',
      { cardinality: 'title' },
      ['add "{ name: title_exact, source: title, type: KEYWORD, folded: true, fast: true }"'],
    ],
  ])('%s %j tells what would be right', async (tool, input, words) => {
    const result = await agent.call(tool, input);
    expect(result.isError).toBe(true);
    for (const word of words) expect(textOf(result)).toContain(word);
  });

  it('a key that means no row is told from rows', async () => {
    const text = textOf(await agent.call('hydrate', { keys: ['nr=1'] }));
    expect(text).toContain('no row nr=1');
    expect(text).toContain('the index has no field for "nr": write the whole key');
  });

  it('an unknown tool is an error of the protocol', async () => {
    await expect(agent.call('drop_index', {})).rejects.toThrow(/the tools are search/);
  });
});

describe('an agent with one index', () => {
  it('sees no argument `index`, and reads the fields in the descriptions', async () => {
    const [search] = await agent.tools();
    expect(search.inputSchema.properties).not.toHaveProperty('index');
    expect(search.description).toContain('org (KEYWORD sortable)');
  });

  it('names the index once there are several, as the error says', async () => {
    const { definition } = await notesDefinition();
    await served.backend.createIndex({ definition });
    // a client keeps the list of tools for a minute
    const other = await connectAgent({ url: served.restUrl }, 'auto');
    try {
      const tools = await other.tools();
      expect(tools[0].inputSchema.properties).toHaveProperty('index');
      expect(tools[0].description).toContain('second (another look at the notes)');
      const result = await agent.call('search', { query: 'disk' });
      expect(textOf(result)).toContain('index required; endpoint serves 2 indexes');
      expect(keysOf(await agent.call('search', { query: 'disk', index: 'notes' }))).toHaveLength(2);
    } finally {
      await other.close();
      await served.backend.dropIndex({ index: 'second' });
    }
  });
});

/** A second definition over the same table, with descriptions. */
async function notesDefinition() {
  const { source } = await served.backend.describeIndex({ index: 'notes' });
  const definition = `version: 1
index: second
description: another look at the notes
source: ${JSON.stringify(source)}
key: { identifier: [id] }
fields: [{ name: title, type: TEXT, description: what happened }]
`;
  return { definition };
}

describe('callers of POST /mcp', () => {
  const as = (caller: Partial<Principal>) =>
    connectAgent({ url: served.restUrl, authorization: header(caller) }, 'auto');

  it('of a tenant see their rows alone, through every tool', async () => {
    const all = await agent.call('search', { query: '*:*' });
    const cited: { key: string }[] = all.structuredContent.hits;
    const client = await as({ tenant: 'rival' });
    try {
      const seen = await Promise.all([
        client.call('search', { query: '*:*', detail: 'full' }),
        client.call('search', { query: 'acme disk full', mode: 'lexical' }),
        client.call('hydrate', { keys: ['id=a', 'id=b', 'id=c'] }),
        client.call('aggregate', { terms: 'org', stats: 'size' }),
        client.call('list_indexes'),
        client.call('describe_index'),
      ]);
      const text = JSON.stringify(seen.map(({ structuredContent }) => structuredContent));
      expect(text).toContain('disk quiet');
      expect(text).not.toMatch(/disk full|network down|acme/);
      expect(keysOf(seen[0])).toEqual(['id=b']);
      expect(seen[2].structuredContent.missing).toEqual(['id=a', 'id=c']);
      expect(seen[3].structuredContent.total).toBe(1);
      expect(seen[5].structuredContent.rows).toBe(1);
      const citations = citationsOf(all);
      const { structuredContent } = await client.call('cite_check', { citations });
      const status = Object.fromEntries(
        structuredContent.checks.map((check: { status: string }, i: number) => [
          cited[i].key,
          check.status,
        ]),
      );
      expect(status).toEqual({ 'id=a': 'deleted', 'id=b': 'unchanged', 'id=c': 'deleted' });
    } finally {
      await client.close();
    }
  });

  it('of other indexes see neither the index nor its rows', async () => {
    const client = await as({ indexes: ['other'] });
    try {
      expect((await client.call('list_indexes')).structuredContent.indexes).toEqual([]);
      const result = await client.call('search', { query: 'disk', index: 'notes' });
      expect(result.isError).toBe(true);
      expect(textOf(result)).not.toContain('id=a');
      await expect(client.read('lhs://indexes/notes/mapping')).rejects.toThrow();
    } finally {
      await client.close();
    }
  });

  it('are recorded with each operation that a tool runs', async () => {
    const client = await as({ subject: 'recorded' });
    await client.call('search', { query: 'disk' });
    await client.close();
    const own = records.filter(({ subject }) => subject === 'recorded');
    expect(own.filter(({ operation }) => operation === 'search')).toMatchObject([
      { transport: 'mcp', index: 'notes', status: 200 },
    ]);
  });

  it('without valid credentials get 401 and the scheme', async () => {
    const { status, headers } = await post({}, { authorization: header({ subject: 'nobody' }) });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });
});

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A request with headers that `fetch` would not send. */
function raw(method: string, body: string | undefined, headers: Record<string, string>) {
  return new Promise<Raw>((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: BOTH, ...headers };
    const call = httpRequest(`${served.restUrl}/mcp`, { method, headers: all }, (response) => {
      response.toArray().then((parts) => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      }, reject);
    });
    call.on('error', reject).end(body);
  });
}
const BOTH = 'application/json, text/event-stream';
const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (body: object | string, headers: Record<string, string> = {}) =>
  raw('POST', typeof body === 'string' ? body : JSON.stringify(body), headers);

describe('messages of POST /mcp', () => {
  const call = async (method: string, params: unknown) => {
    const { status, body } = await post({ jsonrpc: '2.0', id: 1, method, params });
    const json = /^data: (.*)$/m.exec(body)?.[1] ?? body;
    return { status, ...JSON.parse(json) };
  };

  it('take null for what is left out', async () => {
    const nulls = { query: 'disk', limit: null, mode: null, cursor: null };
    const found = await call('tools/call', { name: 'search', arguments: nulls });
    const plain = await call('tools/call', { name: 'search', arguments: { query: 'disk' } });
    expect(found.result.structuredContent.total).toBe(2);
    expect(found).toEqual(plain);
    const list = await call('tools/call', { name: 'list_indexes', arguments: null });
    expect(list.result.structuredContent.indexes).toHaveLength(1);
    expect((await call('tools/list', null)).result.tools).toHaveLength(7);
  });

  it.each([
    ['tools/call', { name: 'search', arguments: [] }, '"params.arguments"'],
    ['tools/call', { name: 5 }, '"params.name"'],
    ['resources/read', {}, '"params.uri"'],
    ['initialize', { protocolVersion: 5 }, '"params.protocolVersion"'],
  ])('have a sentence about what is wrong with %s %j', async (method, params, name) => {
    const { error } = await call(method, params);
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining(`${name}: expected`),
    });
    expect(error.message).not.toMatch(/[[{\n]|invalid_type/);
  });

  it.each([
    [{ jsonrpc: '1.0', id: 1, method: 'tools/list' }],
    [{ id: 1 }],
    [[]],
    [[5]],
    ['5'],
    ['null'],
  ])('are refused without a list of a validation library: %j', async (body) => {
    const answer = await post(body as object);
    expect(answer.status).toBe(400);
    expect(answer.body).not.toMatch(/invalid_|"path"|\[\\n/);
  });

  it('name the version of the program', async () => {
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    expect((await call('initialize', client)).result.serverInfo.version).toBe(VERSION);
    const described = await (await fetch(`${served.restUrl}/v1/openapi.json`)).json();
    expect(described).toMatchObject({ info: { version: VERSION } });
  });
});

describe('refusals of POST /mcp', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('%s is 405', async (method) => {
    const answer = await raw(method, undefined, {});
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });

  const own = () => new URL(served.restUrl).host;
  it.each([
    ['of this machine', () => ({ origin: 'http://localhost:3000' }), 200],
    ['of the service', () => ({ origin: served.restUrl }), 200],
    ['of IPv6 loopback', () => ({ origin: 'http://[::1]:99' }), 200],
    ['of another site', () => ({ origin: 'https://evil.example' }), 403],
    ['that begins alike', () => ({ origin: 'http://localhost.evil.example' }), 403],
    ['that ends alike', () => ({ origin: `http://evil.example#${own()}` }), 403],
    ['with a user', () => ({ origin: `http://localhost@evil.example` }), 403],
    ['null', () => ({ origin: 'null' }), 403],
    ['empty', () => ({ origin: '' }), 403],
    ['of a file', () => ({ origin: 'file://localhost' }), 403],
    ['of a rebound name', () => ({ origin: 'http://evil.example', host: 'evil.example' }), 403],
    ['of a rebound name, without an origin', () => ({ host: 'evil.example:80' }), 403],
    ['of a host that is no name', () => ({ host: 'a/b@c' }), 403],
    ['of a host like loopback', () => ({ host: '127.0.0.1.evil.example' }), 403],
    ['of loopback under another name', () => ({ host: 'localhost:1' }), 200],
  ])('an origin or host %s', async (_, headers, status) => {
    expect((await post(PING, headers())).status).toBe(status);
  });

  it.each([
    ['no JSON', '{"a":', {}, 400, -32700],
    ['a body that is too large', `"${'x'.repeat(1_100_000)}"`, {}, 413, -32000],
    ['text', 'hello', { 'content-type': 'text/plain' }, 415, -32000],
  ])('%s is an error of JSON-RPC', async (_, body, headers, status, code) => {
    const answer = await post(body, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
  });

  it('accepts the names of the configuration and no others', async () => {
    const gateway = await createGateway({
      backend: served.backend,
      access: openAccess,
      hosts: ['search.example.com'],
    });
    const status = async (host: string) => {
      const headers = { host, 'content-type': 'application/json', accept: BOTH };
      const payload = JSON.stringify(PING);
      return (await gateway.rest.inject({ method: 'POST', url: '/mcp', headers, payload }))
        .statusCode;
    };
    expect(await status('search.example.com')).toBe(200);
    expect(await status('search.example.com:8080')).toBe(200);
    expect(await status('other.example.com')).toBe(403);
    await gateway.close();
  });
});

const callOf = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, '', '\u0000', 'x'.repeat(5000), [], {}, [[]], [PING], [[PING]]],
  ...[{ jsonrpc: '1.0' }, { jsonrpc: '2.0' }, JSON.parse('{"__proto__": {"a": 1}}')],
];
const METHODS = [
  ...['tools/list', 'tools/call', 'resources/read', 'prompts/get', 'initialize', 'ping'],
  ...['server/discover', 'subscriptions/listen', 'completion/complete', 'notifications/cancelled'],
  ...['notifications/initialized', 'logging/setLevel', 'tools/drop', '', '__proto__'],
];

/** Random choices from a seed. */
interface Random {
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

function randomOf(seed: number): Random {
  const next = seededNumbers(seed);
  return {
    pick: (items) => items[Math.floor(next() * items.length)],
    chance: (probability) => next() < probability,
  };
}

/** A message that a client would not send. */
function malformed(random: Random): unknown {
  const value = () => random.pick(VALUES);
  const message: Record<string, unknown> = {
    jsonrpc: random.chance(0.8) ? '2.0' : value(),
    id: random.chance(0.6) ? random.pick([0, 7, 'id']) : value(),
    method: random.chance(0.8) ? random.pick(METHODS) : value(),
    params: random.chance(0.3) ? value() : { name: value(), uri: value(), arguments: value() },
  };
  if (random.chance(0.4)) {
    message.params = { name: 'search', arguments: { query: value(), limit: value() } };
  }
  for (const key of Object.keys(message)) if (random.chance(0.1)) delete message[key];
  return random.chance(0.1) ? [message, value()] : message;
}

describe('malformed messages', () => {
  it('are refused or answered with an error, and the endpoint goes on', async () => {
    const random = randomOf(20261123);
    const statuses = new Set<number>();
    for (let sent = 0; sent < byEffort(400, 2000, 5000); ) {
      const batch = Array.from({ length: 20 }, () => malformed(random));
      const headers = random.chance(0.2) ? { 'mcp-protocol-version': '2026-07-28' } : {};
      const answers = await Promise.all(
        batch.map((one) => post(JSON.stringify(one) ?? 'null', headers as Record<string, string>)),
      );
      for (const { status } of answers) statuses.add(status);
      sent += batch.length;
    }
    expect([...statuses].filter((status) => ![200, 202, 400, 404].includes(status))).toEqual([]);
    expect((await post(PING)).status).toBe(200);
  });

  const NEWEST = '2026-07-28';
  const META = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const rpc = (fields: object) => ({ jsonrpc: '2.0', id: 1, ...fields });
  it.each([
    ['null', null, {}, 400],
    ['a number', 1, {}, 400],
    ['no messages', [], {}, 400],
    ['another version of JSON-RPC', { ...PING, jsonrpc: '1.0' }, {}, 400],
    ['no method', rpc({}), {}, 400],
    ['a method that is a number', rpc({ method: 7 }), {}, 400],
    ['an id that is an object', { ...PING, id: {} }, {}, 400],
    ['parameters that are a list', rpc({ method: 'tools/call', params: [] }), {}, 400],
    ['a response', rpc({ result: {} }), {}, 202],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 202],
    ['an unknown method', rpc({ method: 'nope' }), {}, 200],
    ['arguments that are a number', callOf({ name: 'search', arguments: 7 }), {}, 200],
    [
      'headers that contradict the body',
      rpc({ method: 'tools/list', params: { _meta: META } }),
      { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/call' },
      400,
    ],
    [
      'an unknown method of the newest protocol',
      rpc({ method: 'nope', params: { _meta: META } }),
      { 'mcp-protocol-version': NEWEST, 'mcp-method': 'nope' },
      404,
    ],
    ['no envelope', PING, { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/list' }, 400],
  ])('with %s have an exact status', async (_, body, headers, status) => {
    const answer = await post(JSON.stringify(body), headers as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status !== 202) expect(answer.body).toMatch(/"error"/);
  });

  it('nested 10,000 deep are refused', async () => {
    const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);
    const object = deep('{"a":', '}').replace('}', '1}');
    const bodies = [
      deep('[', ']'),
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${object}}`,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aggregate","arguments":
        {"aggs":${object}}}}`,
    ];
    for (const body of bodies) {
      const { status, body: text } = await post(body);
      expect([200, 400]).toContain(status);
      expect(text).toMatch(/"error"|"isError":true/);
    }
    expect((await post(PING)).status).toBe(200);
  });
});

describe.runIf(MCP_CLIENTS === undefined)('the conformance runner', () => {
  it.skip('is not run: LHS_MCP_CLIENTS has no @modelcontextprotocol/conformance', () => {});
});

describe.skipIf(MCP_CLIENTS === undefined)('the conformance runner', () => {
  const runner = join(
    MCP_CLIENTS ?? '',
    'node_modules/@modelcontextprotocol/conformance/dist/index.js',
  );
  const scenarios = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'];
  it.each([...scenarios, 'server-sse-multiple-streams', 'dns-rebinding-protection'])(
    'passes %s',
    async (scenario) => {
      const args = [runner, 'server', '--url', `${served.restUrl}/mcp`, '--scenario', scenario];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: MCP_CLIENTS });
      expect(stdout).toMatch(/0 failed/);
    },
  );
});
