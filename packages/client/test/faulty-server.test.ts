/**
 * The client against a server that fails in every way: repetition, deadlines, cancellation. Its
 * requests go through its pool, and through `fetch`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChangeBatch, defineIndex, LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, type Service } from '../src/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers in order; the last one stays. */
let answers: Answer[] = [];
const received: { url: string; body: string }[] = [];
let server: Server;
let client: Service;
let send: typeof fetch | undefined;
const connect = (port: number, options = {}) =>
  createClient({ url: `http://127.0.0.1:${port}`, fetch: send, ...options });
beforeEach(async () => {
  received.length = 0;
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ url: request.url as string, body });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = connect(port);
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const json =
  (status: number, body: object, headers = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const failure = (code: string, status: number, details = {}) =>
  json(status, { error: { code, status, message: code, details } });
const cutBefore: Answer = (request) => request.socket.destroy();
const cutWithin: Answer = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"indexes"');
  setImmediate(() => request.socket.destroy());
};
const page = '<html>bad gateway</html>';
const proxy: Answer = (_, response) => response.writeHead(502).end(page);
const silent: Answer = () => {};
const list = json(200, []);
const codeOf = (call: Promise<unknown>) => call.then(String, (error: LhsError) => error.code);
const port = () => (server.address() as AddressInfo).port;

describe.each([
  ['its pool', undefined],
  ['fetch', fetch],
])('over %s', (_, given) => {
  beforeAll(() => {
    send = given;
  });

  describe('a read of a faulty service', () => {
    it('is repeated after errors that pass, with the same request', async () => {
      answers = [cutBefore, proxy, failure('closed', 503), list];
      expect(await client.indexes.list()).toEqual([]);
      expect(received.map(({ url }) => url)).toEqual(Array(4).fill('/v1/indexes'));
    });

    it('is repeated after a response that was cut', async () => {
      answers = [cutWithin, list];
      expect(await client.indexes.list()).toEqual([]);
      expect(received).toHaveLength(2);
    });

    it('is given up after the window of attempts, naming the address', async () => {
      answers = [cutBefore];
      const brief = connect(port(), { retryMs: 300 });
      const error = await brief.indexes.list().catch((thrown: LhsError) => thrown);
      expect(error).toBeInstanceOf(LhsError);
      expect(error).toMatchObject({ code: 'unreachable' });
      expect((error as LhsError).message).toContain('127.0.0.1');
      expect(received.length).toBeGreaterThan(1);
    });

    it('is not repeated after an error that stays, and keeps its details', async () => {
      const place = { text: 'a:(', from: 2, to: 3 };
      answers = [
        failure('invalid_query', 400, { hint: 'close it', position: 2, place, field: 'a' }),
      ];
      const error = await client
        .search({ index: 'i', query: 'a:(' })
        .catch((thrown: LhsError) => thrown);
      expect(error).toMatchObject({ code: 'invalid_query', hint: 'close it', place });
      expect((error as LhsError).details).toEqual({ field: 'a' });
      expect(received).toHaveLength(1);
    });

    it('ends with a code of ours for statuses and bodies of others', async () => {
      answers = [(_, response) => response.writeHead(404).end(page)];
      expect(await codeOf(client.indexes.list())).toBe('internal');
    });

    it.each([
      ['a redirect', 307, { location: 'http://evil/in' }, 'redirects to "http://evil/in" (HTTP'],
      [
        'a sign-in page',
        200,
        { 'content-type': 'text/html' },
        'of type "text/html", expected JSON',
      ],
      ['a body without a type', 200, {}, 'a body without a type, expected JSON'],
    ])('is not repeated after %s, and says so', async (_, status, headers, words) => {
      answers = [(_request, response) => response.writeHead(status, headers).end(page)];
      const error = await client.indexes.list().catch((thrown: LhsError) => thrown);
      expect(error).toMatchObject({ code: 'unreachable' });
      expect((error as LhsError).message).toContain(words);
      expect((error as LhsError).hint).toContain('check the URL');
      expect(received).toHaveLength(1);
    });
  });

  describe('a change of a faulty service', () => {
    it('is not repeated if the service may have received it', async () => {
      answers = [cutBefore, json(200, {})];
      expect(await codeOf(client.indexes.create({ definition: 'x' }))).toBe('unreachable');
      expect(received).toHaveLength(1);
    });

    it('is repeated if the service refused it for its load', async () => {
      answers = [failure('overloaded', 429), json(200, { index: 'i' })];
      expect(await client.indexes.create({ definition: 'x' })).toEqual({ index: 'i' });
      expect(received).toHaveLength(2);
    });
  });

  it('sends the text of a definition that is an object', async () => {
    const object = { version: 1, index: 'i', source: { path: '/srv/i' } } as const;
    const defined = defineIndex(object);
    for (const definition of [object, defined, defined.definition]) {
      answers = [json(200, { index: 'i' })];
      await client.indexes.create({ definition });
      answers = [json(200, {})];
      await client.jobs.start({ kind: 'alter', definition_yaml: definition, apply: true });
    }
    const { definition } = defined;
    const pair = [{ definition }, { kind: 'alter', definition_yaml: definition, apply: true }];
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([pair, pair, pair].flat());
  });

  describe('a change batch for a faulty service', () => {
    const part = { kind: 'removed', path: 'a.parquet', positions: null } as const;
    const to = { snapshot_id: '2', sequence: '2', schema: {}, files: [] };
    const batch = { version: 1, table_uuid: 'u', from: '1', to } as unknown as ChangeBatch;
    const send = (parts: ChangeBatch['parts']) =>
      client.indexes.applyBatch({ index: 'i', batch: { ...batch, parts } });

    it('is sent once if its parts come one by one: they cannot come again', async () => {
      async function* parts() {
        yield part;
      }
      answers = [failure('overloaded', 429), json(200, {})];
      expect(await codeOf(send(parts()))).toBe('overloaded');
      expect(received).toHaveLength(1);
    });

    it('is repeated with all of its parts if they are an array', async () => {
      answers = [failure('overloaded', 429), json(200, {})];
      await send([part]);
      expect(received).toHaveLength(2);
      expect(received[1].body).toBe(received[0].body);
      expect(JSON.parse(received[1].body).batch.parts).toEqual([part]);
    });
  });

  describe('a call of a silent service', () => {
    it('ends at its deadline, which travels with the call', async () => {
      let header: unknown;
      answers = [
        (request) => {
          header = request.headers['lhs-timeout-ms'];
        },
      ];
      // a process that stands still may be past the deadline before the request has arrived
      await vi.waitFor(async () => {
        const late = client.indexes.list({}, { deadline: Date.now() + 400 });
        expect(await codeOf(late)).toBe('deadline_exceeded');
        expect(Number(header)).toBeLessThanOrEqual(400);
      });
    });

    it('ends at the time limit of the client, which no change has', async () => {
      const limits: unknown[] = [];
      const note: Answer = ({ headers }) => void limits.push(headers['lhs-timeout-ms']);
      answers = [note];
      const brief = connect(port(), { timeoutMs: 300 });
      await vi.waitFor(async () => {
        expect(await codeOf(brief.indexes.list())).toBe('deadline_exceeded');
        expect(Number(limits.at(-1))).toBeLessThanOrEqual(300);
      });
      await vi.waitFor(async () => {
        expect(await codeOf(client.indexes.list({}, { timeoutMs: 300 }))).toBe('deadline_exceeded');
        expect(Number(limits.at(-1))).toBeLessThanOrEqual(300);
      });
      limits.length = 0;
      answers = [
        (request, response) => {
          note(request, response);
          list(request, response);
        },
      ];
      await client.indexes.list();
      expect(Number(limits[0])).toBeGreaterThan(30_000);
      await brief.indexes.list({}, { timeoutMs: 0 });
      await brief.indexes.create({ definition: 'x' });
      expect(limits.slice(1)).toEqual([undefined, undefined]);
    });

    it('ends when it is aborted, and closes its connection', async () => {
      const stop = new AbortController();
      const closed = new Promise((resolve) => {
        answers = [
          (request) => {
            request.socket.once('close', resolve);
            stop.abort('enough');
          },
        ];
      });
      const call = client.indexes.list({}, { signal: stop.signal });
      const aborted = { code: 'interrupted', name: 'AbortError', cause: 'enough' };
      await expect(call).rejects.toMatchObject(aborted);
      await closed;
      const timeout = AbortSignal.timeout(1);
      const late = client.indexes.list({}, { signal: timeout });
      await expect(late).rejects.toMatchObject({ code: 'interrupted', name: 'TimeoutError' });
    });

    it('ends its stream at the first line that is an error, or when it is cut', async () => {
      const export_ = async () => {
        const seen: unknown[] = [];
        try {
          for await (const one of client.exportDocuments({ index: 'i' })) seen.push(one);
        } catch (error) {
          return [seen.length, (error as LhsError).code];
        }
        return [seen.length, 'end'];
      };
      const lines =
        (...text: string[]): Answer =>
        (_, response) => {
          response.writeHead(200, { 'content-type': 'application/x-ndjson' });
          response.end(text.join('\n'));
        };
      const error = { code: 'closed', status: 503, message: 'stops', details: {} };
      answers = [lines('{"a":1}', JSON.stringify({ error }), '')];
      expect(await export_()).toEqual([1, 'closed']);
      answers = [
        (request, response) => {
          response.writeHead(200, { 'content-type': 'application/x-ndjson' });
          response.write('{"a":1}\n{"a":', () => setImmediate(() => request.socket.destroy()));
        },
      ];
      expect(await export_()).toEqual([1, 'unreachable']);
      answers = [silent];
    });
  });
});
