import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { CallRecord } from '@lakehouse-search/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../../test/support/gateway.ts';
import { type ServedNotes, serveNotes } from './served-notes.ts';

let served: ServedNotes;
const records: CallRecord[] = [];
beforeAll(async () => {
  served = await serveNotes({ observer: { ended: (record) => records.push(record) } });
});
afterAll(() => served.close());

const JSON_HEADERS = { 'content-type': 'application/json' };
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  fetch(`${served.restUrl}${path}`, {
    method,
    headers: body === undefined ? headers : { ...JSON_HEADERS, ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as {
    error: { code: string; status: number; message: string; details: unknown };
  };
  return [response.status, error.status, error.code, error.message] as const;
};

describe('a REST response', () => {
  it('is the JSON of the backend, byte for byte but for times', async () => {
    const request = { index: 'notes', query: 'disk', highlight: {}, facets: { fields: ['org'] } };
    const shown = (value: unknown) =>
      JSON.stringify(value).replaceAll(
        /"(took_ms|lag_checked_ms|lag_snapshots)":(null|[\d.]+)/g,
        '"$1":0',
      );
    const response = await send('POST', '/v1/search', request);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(shown(await response.json())).toBe(shown(await served.backend.search(request)));
  });

  it('carries the id of the request, the own one or a new one', async () => {
    const own = await send('GET', '/v1/indexes', undefined, { 'x-request-id': 'abc-1' });
    expect(own.headers.get('x-request-id')).toBe('abc-1');
    const hostile = await send('GET', '/v1/indexes', undefined, { 'x-request-id': 'a b' });
    expect(hostile.headers.get('x-request-id')).toMatch(/^[\w-]{8}-\w+$/);
  });

  it.each([
    ['zstd', 'gzip, zstd', (bytes: Buffer) => zstdDecompressSync(bytes)],
    ['gzip', 'gzip, zstd;q=0', (bytes: Buffer) => gunzipSync(bytes)],
  ] as const)('is compressed by %s if the client accepts it', async (name, accepted, inflate) => {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const headers = { 'accept-encoding': accepted };
      const call = httpRequest(`${served.restUrl}/v1/openapi.json`, { headers }, (response) => {
        expect(response.headers['content-encoding']).toBe(name);
        response.toArray().then((parts) => resolve(Buffer.concat(parts)), reject);
      });
      call.on('error', reject).end();
    });
    expect(JSON.parse(inflate(bytes).toString())).toMatchObject({ openapi: '3.1.0' });
  });

  it('of a new job is 202 with its id, and needs no kind', async () => {
    const response = await send('POST', '/v1/jobs', { index: 'notes' });
    const job = (await response.json()) as { job_id: string };
    expect([response.status, typeof job.job_id]).toEqual([202, 'string']);
    const watched = await send('GET', `/v1/jobs/${job.job_id}/watch`);
    const lines = (await watched.text()).trimEnd().split('\n');
    expect(watched.headers.get('content-type')).toContain('application/x-ndjson');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ state: 'done' });
    const listed = await send('GET', '/v1/jobs?index=notes&state=done&limit=5');
    expect(await listed.json()).toContainEqual(expect.objectContaining({ job_id: job.job_id }));
  });
});

describe('a refusal by REST', () => {
  it.each([
    ['POST', '/v1/search', { zz: 1 }, 400, 'invalid_argument', 'unknown request field "zz"'],
    ['POST', '/v1/search', [], 400, 'invalid_argument', 'expected an object'],
    ['POST', '/v1/search', '{', 400, 'invalid_argument', 'the body is not JSON'],
    ['POST', '/v1/search', { index: 'none' }, 404, 'index_not_found', 'none'],
    ['POST', '/v1/search', { hydrate: true, limit: 1001 }, 400, 'limit_exceeded', '1001'],
    ['GET', '/v1/jobs?limit=x', undefined, 400, 'invalid_argument', '"limit" is "x"'],
    ['GET', '/v1/jobs?zz=1', undefined, 400, 'invalid_argument', '"zz"'],
    ['GET', '/v1/jobs/none', undefined, 404, 'not_found', 'none'],
    ['POST', '/v1/indexes', { definition: 'version: 1' }, 400, 'invalid_definition', ''],
    ['POST', '/v1/index:backup', { index: 'notes' }, 501, 'unsupported', ''],
    ['GET', '/v1/cold?index=notes', undefined, 404, 'not_found', 'windows'],
    ['GET', '/v1/users', undefined, 501, 'unsupported', 'accounts'],
    ['GET', '/%', undefined, 400, 'invalid_argument', "'/%' is not a valid url"],
    ['GET', '/v1/nothing', undefined, 404, 'not_found', 'no endpoint "GET /v1/nothing"'],
    ['GET', '/v1/search', undefined, 405, 'invalid_argument', 'the path takes POST'],
    ['POST', '/v1/search', `{"query":"${'a'.repeat(1024 * 1024)}"}`, 413, 'limit_exceeded', ''],
  ] as const)('%s %s %o', async (method, path, body, status, code, words) => {
    const [own, said, ownCode, message] = await errorOf(await send(method, path, body));
    expect([own, said, ownCode]).toEqual([status, status, code]);
    expect(message).toContain(words);
  });

  it('names a wrong content type, which a page of another site could send', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await send('POST', '/v1/search', '{}', headers);
    expect(await errorOf(response)).toMatchObject([
      415,
      415,
      'invalid_argument',
      expect.any(String),
    ]);
  });

  it('names no command and no flag', async () => {
    const response = await send('POST', '/v1/search', { index: 'none' });
    const text = await response.text();
    expect(text).not.toMatch(/--\w|lhs \w/);
    expect(JSON.parse(text).error.details.next).toEqual(expect.any(Array));
  });

  it('asks for the index if there are several', async () => {
    const { definition } = await served.backend.initDefinition({
      source: (await served.backend.describeIndex({ index: 'notes' })).source as never,
      name: 'second',
    });
    await served.backend.createIndex({ definition });
    const response = await send('POST', '/v1/search', {});
    const refused = await errorOf(response);
    await served.backend.dropIndex({ index: 'second' });
    expect(refused[3]).toBe('index required; endpoint serves 2 indexes');
  });

  it('comes before the body of a change batch, which may be large', async () => {
    const nobody = encodeURIComponent(JSON.stringify({ subject: 'nobody', scopes: [] }));
    const headers = {
      ...{ ...JSON_HEADERS, 'content-length': String(60 * 2 ** 20) },
      authorization: `Test ${nobody}`,
    };
    const url = `${served.restUrl}/v1/index:apply`;
    const call = httpRequest(url, { method: 'POST', headers });
    const answered = once(call, 'response');
    call.flushHeaders();
    const [{ statusCode }] = await answered;
    expect(statusCode).toBe(401);
    call.on('error', () => {}).destroy();
  });

  it('is a token’s that nobody has: 401 with WWW-Authenticate', async () => {
    const nobody = encodeURIComponent(JSON.stringify({ subject: 'nobody', scopes: [] }));
    const headers = { authorization: `Test ${nobody}` };
    const response = await send('GET', '/v1/indexes', undefined, headers);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});

describe('a REST call', () => {
  it('ends at its deadline', async () => {
    const body = { index: 'notes', min_snapshot: '1234567890123', wait_ms: 600_000 };
    const response = await send('POST', '/v1/search', body, { 'lhs-timeout-ms': '20' });
    expect((await errorOf(response)).slice(0, 3)).toEqual([504, 504, 'deadline_exceeded']);
    const wrong = await send('POST', '/v1/search', body, { 'lhs-timeout-ms': 'soon' });
    expect((await errorOf(wrong))[0]).toBe(400);
  });

  it('that streams ends at its deadline, with an error as the last line', async () => {
    const body = { index: 'notes', poll_ms: 60_000 };
    const response = await send('POST', '/v1/index:follow', body, { 'lhs-timeout-ms': '100' });
    const lines = (await response.text()).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!).error.code).toBe('deadline_exceeded');
  });

  it('is recorded with operation, index, status and bytes', async () => {
    records.length = 0;
    await send('POST', '/v1/search', { index: 'none' }, { 'x-request-id': 'seen' });
    await expect.poll(() => records.length).toBe(1);
    expect(records[0]).toMatchObject({
      request_id: 'seen',
      transport: 'rest',
      operation: 'search',
      index: 'none',
      status: 404,
      code: 'index_not_found',
      bytes_in: 16,
    });
    expect(records[0].bytes_out).toBeGreaterThan(50);
  });

  it('is a span of the trace of its caller, in its record and its response', async () => {
    records.length = 0;
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const headers = { traceparent: `00-${trace}-${parent}-01` };
    const response = await send('GET', '/v1/indexes', undefined, headers);
    await expect.poll(() => records.length).toBe(1);
    const [{ span_id, ...record }] = records;
    expect(record).toMatchObject({ trace_id: trace, parent_span_id: parent });
    expect(response.headers.get('traceresponse')).toBe(`00-${trace}-${span_id}-01`);
    const own = await send('GET', '/v1/indexes', undefined, { traceparent: 'nonsense' });
    expect(own.headers.get('traceresponse')).toBeNull();
    await expect.poll(() => records.length).toBe(2);
    expect(records[1].trace_id).not.toBe(trace);
  });

  it('answers probes', async () => {
    expect((await send('GET', '/livez')).status).toBe(200);
    expect((await send('GET', '/readyz')).status).toBe(200);
  });
});

/** A request whose client leaves while its caller is looked up. */
async function leaveEarly(backend: Partial<BackendApi>, path: string): Promise<LeftRequest> {
  const stop = new AbortController();
  const left = { calls: 0, released: 0, records: [] as CallRecord[] };
  const { startGateway } = await import('../../../test/support/gateway.ts');
  let socket: Socket | undefined;
  const gateway = await startGateway({ close: async () => {}, ...backend } as BackendApi, {
    observer: { ended: (record) => left.records.push(record) },
    extend: (rest) => {
      rest.addHook('onRequest', async (request) => {
        socket = request.raw.socket;
      });
    },
    access: {
      authenticate: async () => {
        stop.abort();
        await once(socket!, 'close');
        return undefined;
      },
      authorize: () => {},
    },
    admit: () => {
      left.calls++;
      return () => {
        left.released++;
      };
    },
  });
  const headers = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' };
  const init = { method: 'POST', headers, body: '{}', signal: stop.signal };
  await expect(fetch(`${gateway.restUrl}${path}`, init)).rejects.toThrow();
  return { ...gateway, left };
}

interface LeftRequest extends TestGateway {
  /** What the request has left behind. */
  readonly left: {
    readonly calls: number;
    readonly released: number;
    readonly records: readonly CallRecord[];
  };
}

describe('a client that goes away before its caller is known', () => {
  it('begins no operation', async () => {
    let begun = 0;
    const search = async () => begun++;
    const { left, close } = await leaveEarly({ search: search as never }, '/v1/search');
    await expect.poll(() => left.records.length).toBe(1);
    expect([begun, left]).toMatchObject([0, { calls: 0, released: 0 }]);
    await close();
  });

  it('is recorded', async () => {
    const { left, close } = await leaveEarly({ search: (async () => ({})) as never }, '/v1/search');
    await expect.poll(() => left.records.length).toBe(1);
    expect(left.records[0]).toMatchObject({ operation: 'search', transport: 'rest' });
    await close();
  });

  it('leaves no running call of agents', async () => {
    const { left, close } = await leaveEarly({}, '/mcp');
    await expect.poll(() => left).toMatchObject({ calls: 1, released: 1 });
    await close();
  });
});

describe('a client that goes away', () => {
  it('in the middle of a stream leaves a record of the call', async () => {
    const stop = new AbortController();
    const follow = async function* (_: unknown, { signal }: { readonly signal: AbortSignal }) {
      yield { event: 'waiting' };
      await once(signal, 'abort');
      throw signal.reason;
    };
    const { startGateway } = await import('../../../test/support/gateway.ts');
    const seen: CallRecord[] = [];
    const backend = { follow, close: async () => {} } as unknown as BackendApi;
    const observer = { ended: (record: CallRecord) => seen.push(record) };
    const gateway = await startGateway(backend, { observer });
    const init = { method: 'POST', headers: JSON_HEADERS, body: '{}', signal: stop.signal };
    const { body } = await fetch(`${gateway.restUrl}/v1/index:follow`, init);
    const reader = body!.getReader();
    await reader.read();
    stop.abort();
    await expect.poll(() => seen).toMatchObject([{ operation: 'follow', status: 200 }]);
    expect(seen[0].bytes_out).toBeGreaterThanOrEqual('{"event":"waiting"}'.length);
    await gateway.close();
  });

  it('aborts the operation', async () => {
    const aborted = Promise.withResolvers<void>();
    const slow = {
      search: (_: unknown, call: { signal: AbortSignal }) => {
        call.signal.addEventListener('abort', () => aborted.resolve());
        stop.abort();
        return aborted.promise;
      },
      close: async () => {},
    } as unknown as BackendApi;
    const stop = new AbortController();
    const { startGateway } = await import('../../../test/support/gateway.ts');
    const gateway = await startGateway(slow);
    const init = { method: 'POST', headers: JSON_HEADERS, body: '{}', signal: stop.signal };
    await expect(fetch(`${gateway.restUrl}/v1/search`, init)).rejects.toThrow();
    await aborted.promise;
    await gateway.close();
  });
});
