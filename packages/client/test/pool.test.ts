/** Connections of the client over REST in Node. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../src/index.ts';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const sockets = new Set<Socket>();
const seen: IncomingMessage[] = [];
beforeEach(async () => {
  sockets.clear();
  seen.length = 0;
  server = createServer((request, response) => {
    seen.push(request);
    request.resume().once('end', () => answer(request, response));
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const list = (_: unknown, response: ServerResponse) => void response.end('[]');
const thrown = (call: Promise<unknown>) => call.catch((error: LhsError) => error);

describe('the client over REST', () => {
  it('keeps its connections between calls, and closes them at its end', async () => {
    answer = list;
    const client = createClient({ url: url() });
    for (let call = 0; call < 9; call++) expect(await client.indexes.list()).toEqual([]);
    // A connection is free again one turn of the event loop after its response.
    expect(sockets.size).toBeLessThanOrEqual(2);
    const closed = [...sockets].map((socket) => new Promise((end) => socket.once('close', end)));
    await client.close();
    await Promise.all(closed);
  });

  it('requests no compressed response, which costs more than the bytes it saves', async () => {
    answer = list;
    const client = createClient({ url: url(), token: 't' });
    await client.indexes.list();
    expect(seen[0].headers).toMatchObject({ authorization: 'Bearer t' });
    expect(seen[0].headers['accept-encoding']).toBeUndefined();
    await client.close();
  });

  it('sends an API token as such, whichever option has it', async () => {
    answer = list;
    for (const option of [{ token: 'lhs_0_x' }, { apiKey: 'lhs_0_x' }]) {
      const client = createClient({ url: url(), ...option });
      await client.indexes.list();
      expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'ApiKey lhs_0_x' });
      await client.close();
    }
  });

  it('sends requests below the path of its URL', async () => {
    answer = (_, response) => response.end('{}');
    const client = createClient({ url: `${url()}/search/` });
    await client.indexes.describe({ index: 'i' });
    expect(seen[0].url).toBe('/search/v1/index:describe');
    await client.close();
  });

  it('reads a text that comes in pieces of characters', async () => {
    const bytes = Buffer.from('[{"name":"größe"}]');
    answer = (_, response) => {
      response.write(bytes.subarray(0, 12), () =>
        setImmediate(() => response.end(bytes.subarray(12))),
      );
    };
    const client = createClient({ url: url() });
    expect(await client.indexes.list()).toEqual([{ name: 'größe' }]);
    await client.close();
  });

  it('says that a call was not sent if nobody listens', async () => {
    const at = url();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const client = createClient({ url: at, retryMs: 0 });
    const error = await thrown(client.indexes.list());
    expect(error).toMatchObject({ code: 'unreachable', details: { sent: false } });
    expect((error as LhsError).message).toBe(`cannot reach "${at}": ECONNREFUSED`);
    expect((error as LhsError).hint).toContain('nothing listens there');
    await client.close();
    server = createServer().listen(0);
  });

  it('closes the connection of a stream that is not read to its end', async () => {
    answer = (_, response) => {
      response.write('{"a":1}\n');
    };
    const client = createClient({ url: url() });
    for await (const item of client.exportDocuments({ index: 'i' })) {
      expect(item).toEqual({ a: 1 });
      break;
    }
    const [socket] = sockets;
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    await client.close();
  });

  it('ends a stream that is aborted before its response, or finds no service', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    const client = createClient({ url: url() });
    const lines = (signal?: AbortSignal) =>
      Array.fromAsync(client.exportDocuments({ index: 'i' }, { signal }));
    expect(await thrown(lines(stop.signal))).toMatchObject({ code: 'interrupted' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await thrown(lines())).toMatchObject({ code: 'unreachable' });
    await client.close();
    server = createServer().listen(0);
  });

  it('reads a stream no faster than its caller', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(65_536) })}\n`;
    let sent = 0;
    const full = Promise.withResolvers<void>();
    answer = (_, response) => {
      const more = () => {
        while (sent < 4096 && response.write(line)) sent++;
        if (sent === 4096) response.end();
        else response.once('drain', more);
        full.resolve();
      };
      more();
    };
    const client = createClient({ url: url() });
    const items = client.exportDocuments({ index: 'i' })[Symbol.asyncIterator]();
    await items.next();
    await full.promise;
    expect(sent).toBeLessThan(4096);
    await items.return?.();
    await client.close();
  });

  it('leaves connections to fetch if the process has set its own for it', async () => {
    await fetch(url()).catch(() => {}); // sets the usual ones
    const keys = ['1', '2'].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));
    const usual = keys.map((key) => Reflect.get(globalThis, key));
    class ProxyAgent {
      dispatch() {
        throw Object.assign(new Error('proxy'), { code: 'PROXIED' });
      }
    }
    for (const key of keys) Reflect.set(globalThis, key, new ProxyAgent());
    const client = createClient({ url: url(), retryMs: 0 });
    const error = await thrown(client.indexes.list());
    keys.forEach((key, at) => {
      Reflect.set(globalThis, key, usual[at]);
    });
    expect((error as LhsError).message).toContain('PROXIED');
    await client.close();
  });

  it('refuses a user in its URL, which no request would carry', () => {
    const act = () => createClient({ url: 'http://user:secret@127.0.0.1:1' });
    expect(act).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(act).not.toThrow(/secret/);
  });

  it('refuses a token that no header may hold', async () => {
    const client = createClient({ url: url(), token: 'a\nb', retryMs: 0 });
    expect(await thrown(client.indexes.list())).toMatchObject({ code: 'invalid_argument' });
    await client.close();
  });
});
