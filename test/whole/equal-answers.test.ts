// @module-tag campaign
/**
 * Random searches, right and wrong ones, over REST, gRPC, MCP and the command: equal answers, or
 * the same refusal.
 */
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { LhsError, SearchRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from '../../packages/cli/test/child.ts';
import { sendRaw } from '../../packages/server/test/support/raw-http.ts';
import { startTickets, type TicketService } from '../../packages/server/test/support/tickets.ts';
import { byEffort } from '../support/effort.ts';
import { seededBelow } from '../support/random.ts';

const CASES = byEffort(200, 1000);
let service: TicketService;
let home: Home;

beforeAll(async () => {
  service = await startTickets({ auth: false });
  home = new Home();
}, 120_000);
afterAll(async () => {
  home?.dispose();
  await service?.stop();
});

const QUERIES = [
  ...['payment', 'timeout OR login', 'title:"payment timeout"~2', 'status:open size:>30', '*'],
  ...['size:[3 TO 9}', 'at:2026-03', '-ok:true', 'host:10.0.1.0/24', 'meta.kind:push', 'tim*'],
  ...['price:-0', 'size:50031545098999707', 'titl:x', 'size:abc', '(', '""', 'title:/(/', ''],
  ...['logni~1', 'title:👾', 'size:9007199254740993', 'status:>=closed', 'nope:1 OR payment'],
];
const FILTERS = ['status:open', 'size:<40', 'ok:true AND price:>5', 'bad:(', '-status:closed'];
const SORTS = ['size', 'at', 'price', 'status', 'title', 'nope'];
const FIELDS = [['title'], ['size', 'status'], ['at', 'title'], ['price'], ['nope'], []];
const AGGS = [
  { s: { stats: { field: 'size' } } },
  { t: { terms: { field: 'status', size: 1 } } },
  { h: { histogram: { field: 'price', interval: 7 } } },
  { d: { date_histogram: { field: 'at', calendar_interval: 'month' } } },
  { x: { avg: { field: 'title' } } },
  { c: { cardinality: { field: 'host' } } },
];

/** A request; a part of it may be wrong. Members after `fields` are unknown to agents. */
function randomRequest(below: (most: number) => number): Record<string, unknown> {
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const maybe = (step: number, name: string, value: () => unknown) =>
    below(step) === 0 ? { [name]: value() } : {};
  return {
    index: below(40) === 0 ? one(['nope', '', 'Tickets']) : 'tickets',
    query: one(QUERIES),
    ...maybe(3, 'filter', () => one(FILTERS)),
    ...maybe(4, 'default_operator', () => one(['or', 'and', 'and', 'xor'])),
    ...maybe(3, 'sort', () => [{ field: one(SORTS), desc: one([true, false]) }]),
    ...maybe(3, 'limit', () => one([1, 5, 20, 0, -1, 1.5, 10_001, 2 ** 53, '3', null])),
    ...maybe(3, 'fields', () => one(FIELDS)),
    ...maybe(8, 'offset', () => one([0, 3, 59, 10_000])),
    ...maybe(8, 'aggs', () => one(AGGS)),
    ...maybe(8, 'facets', () => ({ fields: [one(['status', 'size', 'title'])] })),
    ...maybe(8, 'collapse', () => one(['status', 'size', 'title'])),
    ...maybe(8, 'highlight', () => one([{}, { fields: ['title', 'status'] }, { fields: ['x'] }])),
    ...maybe(8, 'search_after', () =>
      one([
        [3, '4'],
        ['9007199254740993', '1'],
        [2 ** 53, '1'],
      ]),
    ),
    ...maybe(9, 'min_score', () => one([0.5, 0, -1, '1'])),
    ...maybe(12, 'hydrate', () => true),
  };
}

/** An answer without what may differ from call to call, or `code: message` of an error. */
type Answer = string | Record<string, unknown>;

function settled(value: object): Answer {
  const {
    took_ms: _,
    lag_snapshots: __,
    lag_checked_ms: ___,
    hydrate_bytes: ____,
    ...own
  } = JSON.parse(JSON.stringify(value));
  return own;
}

async function overRest(request: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(request);
  const { url } = service.server;
  const { text } = await sendRaw(url, '/v1/search', { method: 'POST', headers, body });
  const answer = JSON.parse(text);
  const { error } = answer;
  return error === undefined ? settled(answer) : `${error.code}: ${error.message}`;
}

async function overMcp(request: object): Promise<Answer> {
  const call = { name: 'search', arguments: request };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  const accept = 'application/json, text/event-stream';
  const headers = { 'content-type': 'application/json', accept };
  const { text } = await sendRaw(service.server.url, '/mcp', { method: 'POST', headers, body });
  const { result } = JSON.parse(text.slice(text.indexOf('{')));
  return result.isError === true ? result.content[0].text : result.structuredContent;
}

const keysOf = (answer: Answer): unknown =>
  typeof answer === 'string'
    ? answer
    : (answer.hits as readonly { readonly coordinates: { readonly identifier: unknown } }[]).map(
        ({ coordinates }) => (coordinates.identifier as [{ readonly value: string }])[0].value,
      );

describe('a random search', () => {
  const below = seededBelow(20_261_128);
  const requests = Array.from({ length: CASES }, () => randomRequest(below));

  it('has the same answer over REST and gRPC', async () => {
    const grpc = createRemote({ url: `grpc://${service.server.grpc}` });
    const differing: object[] = [];
    let refused = 0;
    for (const request of requests) {
      const rest = await overRest(request);
      const other = await grpc
        .search(request as unknown as SearchRequest)
        .then(settled, (error: LhsError) => `${error.code}: ${error.message}`);
      if (typeof rest === 'string') refused++;
      if (!isDeepStrictEqual(rest, other)) differing.push({ request, rest, other });
    }
    await grpc.close();
    expect(differing.slice(0, 9)).toEqual([]);
    expect([refused > CASES / 10, refused < (CASES * 9) / 10]).toEqual([true, true]);
  });

  it('has the same answer by the command', async () => {
    const right: [Record<string, unknown>, Answer][] = [];
    for (const request of requests) {
      const rest = await overRest(request);
      if (typeof rest !== 'string') right.push([request, rest]);
    }
    const file = home.path('requests.ndjson');
    const lines = right.map(([{ index: _, ...own }]) => `${JSON.stringify(own)}\n`);
    writeFileSync(file, lines.join(''));
    const args = ['search', 'tickets', '--queries', file, '--json', '--url', service.server.url];
    const { code, stdout, stderr } = await home.run(args);
    expect([code, stderr]).toEqual([0, '']);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => settled(JSON.parse(line)));
    expect(answers).toHaveLength(right.length);
    const differing = right.filter(([, rest], i) => !isDeepStrictEqual(rest, answers[i]));
    expect(differing.slice(0, 3)).toEqual([]);
  });

  it('finds the same rows over MCP', async () => {
    const differing: object[] = [];
    // agents have a hit per page at least, null is what is left out, the row has the price, and
    // a note names unknown fields
    const agents = requests.filter(({ limit, fields }) => {
      const field = Array.isArray(fields) && fields.length === 1 ? fields[0] : undefined;
      return limit !== 0 && limit !== null && field !== 'price' && field !== 'nope';
    });
    for (const { index, query, filter, default_operator, sort, limit, fields } of agents) {
      const request = { index, query, filter, default_operator, sort, limit, fields };
      const rest = await overRest(request);
      const list = sort as
        | readonly { readonly field: string; readonly desc: boolean }[]
        | undefined;
      const text = list?.map(({ field, desc }) => `${field}:${desc ? 'desc' : 'asc'}`).join(',');
      const operator = default_operator ?? 'or';
      const own = { index, query, filter, limit, fields, operator, sort: text };
      const agent = await overMcp(own);
      if (typeof rest === 'string' || typeof agent === 'string') {
        if (typeof rest !== typeof agent) differing.push({ request, rest, agent });
        continue;
      }
      const hits = agent.hits as readonly { readonly key: string }[];
      const keys = hits.map(({ key }) => key.replace(/^id=/, ''));
      if (!isDeepStrictEqual([agent.total, keys], [rest.total, keysOf(rest)])) {
        differing.push({ request, rest: [rest.total, keysOf(rest)], agent: [agent.total, keys] });
      }
    }
    expect(differing.map((d) => JSON.stringify(d))).toEqual([]);
  });
});
