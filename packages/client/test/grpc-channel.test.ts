import { once } from 'node:events';
import {
  createServer,
  type Http2Server,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import type { LhsError } from '@lakehouse-search/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SlowProxy } from '../../../test/support/slow-proxy.ts';
import { openChannel, type UnaryChannel } from '../src/grpc/unary-channel.ts';
import { createClient } from '../src/index.ts';

type Answer = (stream: ServerHttp2Stream, message: Buffer, path: string) => void;

const OK = { ':status': 200, 'content-type': 'application/grpc' };
const none = { authorization: undefined, signal: undefined, deadline: undefined };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Answers with the message that came. */
const echo: Answer = (stream, message) => {
  stream.respond(OK, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
};

/** A server of gRPC by hand, and a channel to it. */
async function serve(answer: Answer, settings: object = {}, at = 0) {
  const sessions: ServerHttp2Session[] = [];
  const server: Http2Server = createServer({ settings });
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => answer(stream, Buffer.concat(parts).subarray(5), headers[':path']!));
  });
  const port = await listening(server, at);
  const stop = async () => {
    for (const session of sessions) session.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  closing.push(stop);
  return { port, sessions, stop, channel: channelTo(port) };
}

async function listening(server: Server | Http2Server, at = 0): Promise<number> {
  await once(server.listen(at, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function channelTo(port: number, pingMs?: number): UnaryChannel {
  const channel = openChannel(`127.0.0.1:${port}`, false, pingMs);
  closing.push(() => channel.close());
  return channel;
}

const errorOf = (call: Promise<unknown>): Promise<LhsError> =>
  call.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: LhsError) => error,
  );

describe('a unary call over gRPC', () => {
  it('carries messages beyond the windows of both sides', async () => {
    const { channel } = await serve(echo);
    const sent = [3_000_000, 0, 70_000, 16_384].map((size, i) => Buffer.alloc(size, i + 1));
    const got = await Promise.all(sent.map((message) => channel.call('/a', message, none)));
    expect(got.map((bytes, i) => bytes.equals(sent[i]))).toEqual([true, true, true, true]);
  });

  it('ends when the server answers no ping', async () => {
    let asked = 0;
    const { port } = await serve((stream, message) => {
      if (asked++ === 0) echo(stream, message, '');
    });
    const proxy = await SlowProxy.before(`127.0.0.1:${port}`);
    closing.push(() => proxy.close());
    const channel = channelTo(Number(proxy.address.split(':')[1]), 500);
    await channel.call('/quick', Buffer.from('x'), none);
    const slow = channel.call('/slow', Buffer.from('x'), none);
    await vi.waitUntil(() => asked === 2);
    proxy.delay(Number.POSITIVE_INFINITY);
    const error = await errorOf(slow);
    expect([error.code, error.details]).toEqual(['unreachable', {}]);
    expect(error.message).toContain('it does not answer');
  });

  it('waits while the server has as many calls as it admits', async () => {
    let running = 0;
    let most = 0;
    const { channel } = await serve(
      (stream, message, path) => {
        most = Math.max(most, ++running);
        setImmediate(() => {
          running--;
          echo(stream, message, path);
        });
      },
      { maxConcurrentStreams: 2 },
    );
    await channel.call('/first', Buffer.from('x'), none);
    const calls = Array.from({ length: 20 }, (_, i) => `message ${i}`);
    const got = await Promise.all(calls.map((text) => channel.call('/a', Buffer.from(text), none)));
    expect(got.map(String)).toEqual(calls);
    expect(most).toBe(2);
  });

  it('ends on its signal and at its deadline, and others go on', async () => {
    const left: string[] = [];
    const { channel } = await serve((stream, message, path) => {
      if (path === '/echo') echo(stream, message, path);
      else stream.on('close', () => left.push(`${path} ${stream.rstCode}`));
    });
    await channel.call('/echo', Buffer.from('x'), none);
    const stop = new AbortController();
    const aborted = errorOf(
      channel.call('/abort', Buffer.from('x'), { ...none, signal: stop.signal }),
    );
    const late = errorOf(
      channel.call('/late', Buffer.from('x'), { ...none, deadline: Date.now() + 20 }),
    );
    stop.abort();
    expect([(await aborted).code, (await late).code]).toEqual(['interrupted', 'deadline_exceeded']);
    expect(String(await channel.call('/echo', Buffer.from('y'), none))).toBe('y');
    await expect.poll(() => left.sort()).toEqual(['/abort 8', '/late 8']);
  });

  it('moves to a new connection when the server ends the old one, whose calls go on', async () => {
    const held: (() => void)[] = [];
    const { channel, sessions } = await serve((stream, message, path) => {
      if (path === '/echo') echo(stream, message, path);
      else held.push(() => echo(stream, message, path));
    });
    const running = channel.call('/held', Buffer.from('held'), none);
    await expect.poll(() => held.length).toBe(1);
    sessions[0].close();
    await expect
      .poll(async () => {
        await channel.call('/echo', Buffer.from('x'), none);
        return sessions.length;
      })
      .toBe(2);
    held[0]();
    expect(String(await running)).toBe('held');
  });

  it('finds a server that was started again', async () => {
    const { channel, port, stop } = await serve(echo);
    await channel.call('/a', Buffer.from('x'), none);
    await stop();
    const lost = async () => (await errorOf(channel.call('/a', Buffer.from('x'), none))).code;
    expect(await lost()).toBe('unreachable');
    await serve(echo, {}, port);
    await expect
      .poll(() => channel.call('/a', Buffer.from('x'), none).then(String, () => 'not yet'))
      .toBe('x');
  });
});

describe('a unary call over gRPC that fails', () => {
  it('says that it was not sent, or does not say so', async () => {
    const away = channelTo(1);
    expect(await errorOf(away.call('/a', Buffer.from('x'), none))).toMatchObject({
      code: 'unreachable',
      details: { sent: false },
    });
    const { channel } = await serve((stream) => stream.session!.destroy());
    const error = await errorOf(channel.call('/a', Buffer.from('x'), none));
    expect([error.code, error.details]).toEqual(['unreachable', {}]);
    channel.close();
    const closed = await errorOf(channel.call('/a', Buffer.from('x'), none));
    expect(closed.code).toBe('closed');
  });

  it('has the code of the status, of gRPC or of HTTP', async () => {
    const answers: Record<string, OutgoingHttpHeaders> = {
      '/status': { ...OK, 'grpc-status': '8', 'grpc-message': 'too%20many %' },
      '/proxy': { ':status': 503 },
      '/page': { ':status': 200, 'content-type': 'text/html' },
    };
    const { channel } = await serve((stream, _, path) =>
      stream.respond(answers[path], { endStream: true }),
    );
    const failed = async (path: string) => {
      const { code, message } = await errorOf(channel.call(path, Buffer.from('x'), none));
      return [code, message];
    };
    expect(await failed('/status')).toEqual(['overloaded', 'too%20many %']);
    expect((await failed('/proxy'))[0]).toBe('unreachable');
    expect((await failed('/page'))[0]).toBe('internal');
  });

  it('has a message that is cut', async () => {
    const { channel } = await serve((stream) => {
      stream.respond(OK, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 9, 1]));
    });
    const error = await errorOf(channel.call('/a', Buffer.from('x'), none));
    expect([error.code, error.message]).toEqual([
      'internal',
      expect.stringContaining('no message'),
    ]);
  });

  it('names a server that does not speak HTTP/2', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.resume().end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    });
    const port = await listening(server);
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const error = await errorOf(channelTo(port).call('/a', Buffer.from('x'), none));
    expect([error.code, error.message]).toEqual([
      'unreachable',
      expect.stringContaining('does not speak HTTP/2'),
    ]);
  });

  it('refuses a token that no header can hold', async () => {
    const { channel } = await serve(echo);
    const call = { ...none, authorization: 'Bearer a\r\nx: y' };
    const error = await errorOf(channel.call('/a', Buffer.from('x'), call));
    expect(error.code).toBe('invalid_argument');
  });
});

describe('a stream over gRPC', () => {
  const errorOfExport = async (port: number) => {
    const client = createClient({ url: `grpc://127.0.0.1:${port}`, retryMs: 0 });
    closing.push(() => client.close());
    return errorOf(Array.fromAsync(client.exportDocuments({ index: 'notes', query: '*:*' })));
  };

  it('says why a service cannot be reached as other calls do', async () => {
    const { port, stop } = await serve(echo);
    await stop();
    const { code, message, hint } = await errorOfExport(port);
    expect({ code, message }).toEqual({
      code: 'unreachable',
      message: `cannot reach "127.0.0.1:${port}": ECONNREFUSED`,
    });
    expect(hint).toContain('check host and port');
  });

  it('names the service whose connection is lost', async () => {
    const { port, sessions } = await serve(() => sessions.at(-1)?.destroy());
    const { code, message } = await errorOfExport(port);
    expect({ code, message }).toEqual({
      code: 'unreachable',
      message: `lost "127.0.0.1:${port}": the connection has ended`,
    });
  });
});
