import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { type handleUnaryCall, Metadata, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openScreen } from '../src/grpc/screen.ts';
import { UnaryServer } from '../src/grpc/unary-server.ts';
import { UnaryStream } from '../src/grpc/unary-stream.ts';

const same = (bytes: Buffer): Buffer => bytes;
const PATH = '/test.Service/Call';
const MOST_BYTES = 100_000;

let handle: handleUnaryCall<Buffer, Buffer>;
let server: UnaryServer;
let session: ClientHttp2Session;
beforeAll(async () => {
  server = new UnaryServer(MOST_BYTES, undefined, {});
  const screen = { ...openScreen, mostBytes: MOST_BYTES };
  const method = {
    screen,
    path: PATH,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  server.addService(
    { Call: method },
    { Call: ((call, done) => handle(call, done)) as typeof handle },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  session = connect(`http://127.0.0.1:${port}`);
  await once(session, 'connect');
});
afterAll(() => {
  session.close();
  server.forceShutdown();
});

let calls: unknown[] = [];
beforeEach(() => {
  calls = [];
  handle = (call, done) => {
    calls.push(call);
    done(null, call.request);
  };
});

const message = (text: string | Buffer, flag = 0): Buffer => {
  const body = Buffer.from(text);
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
};

interface Answer {
  readonly headers: IncomingHttpHeaders;
  /** Those of a response without a body are its headers. */
  readonly trailers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends parts of a body, each in frames of its own. */
async function send(parts: readonly Buffer[], headers: object = {}): Promise<Answer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const got: Buffer[] = [];
  let first: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders | undefined;
  stream.on('response', (fields) => {
    first = fields;
  });
  stream.on('trailers', (fields) => {
    trailers = fields;
  });
  stream.on('data', (part: Buffer) => got.push(part));
  for (const part of parts) await new Promise((resolve) => stream.write(part, resolve));
  stream.end();
  await once(stream, 'close');
  return {
    headers: first,
    trailers: trailers ?? first,
    text: String(Buffer.concat(got).subarray(5)),
  };
}

const codeOf = ({ trailers }: Answer): number => Number(trailers['grpc-status']);

describe('a unary call on its HTTP/2 stream', () => {
  it('is answered without grpc-js, however its message is cut', async () => {
    const whole = message('a message');
    for (const cuts of [[], [1], [4, 6], [5], [3, 5, 13]]) {
      const ends = [0, ...cuts, whole.length];
      const parts = ends.slice(1).map((end, i) => whole.subarray(ends[i], end));
      const answer = await send(parts);
      expect([codeOf(answer), answer.text, answer.headers[':status']]).toEqual([
        0,
        'a message',
        200,
      ]);
    }
    expect(calls.every((call) => call instanceof UnaryStream)).toBe(true);
  });

  it('is refused without a message, with two, and with one that is too large', async () => {
    const refused = async (...parts: Buffer[]) => codeOf(await send(parts));
    expect(await refused()).toBe(status.UNIMPLEMENTED);
    expect(await refused(Buffer.from([0, 0]))).toBe(status.UNIMPLEMENTED);
    expect(await refused(message('ten').subarray(0, 7))).toBe(status.UNIMPLEMENTED);
    expect(await refused(message('a'), message('b'))).toBe(status.UNIMPLEMENTED);
    const large = message(Buffer.alloc(MOST_BYTES + 1));
    expect(await refused(large)).toBe(status.RESOURCE_EXHAUSTED);
    expect(calls).toEqual([]);
    expect(await refused(message(Buffer.alloc(MOST_BYTES)))).toBe(status.OK);
  });

  it('is left to grpc-js when it is compressed, or no call of gRPC', async () => {
    const packed = await send([message(gzipSync('packed'), 1)], { 'grpc-encoding': 'gzip' });
    expect([codeOf(packed), packed.text]).toEqual([0, 'packed']);
    expect(calls.some((call) => call instanceof UnaryStream)).toBe(false);
    const page = await send([message('x')], { 'content-type': 'text/html' });
    expect(page.headers[':status']).toBe(415);
    expect(codeOf(await send([message('x')], { ':path': '/no' }))).toBe(status.UNIMPLEMENTED);
    expect(codeOf(await send([message('x')], { 'grpc-timeout': 'soon' }))).toBe(status.INTERNAL);
  });

  it('ends at its deadline, which cancels its handler once', async () => {
    let cancels = 0;
    handle = (call, done) => {
      call.on('cancelled', () => {
        cancels++;
        done(null, Buffer.from('late'));
      });
    };
    const answer = await send([message('x')], { 'grpc-timeout': '1S' });
    expect([codeOf(answer), answer.text, cancels]).toEqual([status.DEADLINE_EXCEEDED, '', 1]);
  });

  it('cancels its handler when the client leaves', async () => {
    const left = Promise.withResolvers<void>();
    const came = Promise.withResolvers<void>();
    handle = (call) => {
      call.on('cancelled', left.resolve);
      came.resolve();
    };
    const stream = session.request({
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
    });
    stream.on('error', () => {});
    stream.end(message('x'));
    await came.promise;
    stream.close(8);
    await left.promise;
  });

  it('has the status, message and metadata of an error, after its initial metadata', async () => {
    const metadata = new Metadata();
    metadata.set('x-bin', Buffer.from([0, 255]));
    const initial = new Metadata();
    initial.set('x-first', 'yes');
    handle = (call, done) => {
      if (String(call.request) === 'first') call.sendMetadata(initial);
      done({ code: status.ABORTED, details: 'ä \ud800', metadata });
    };
    for (const text of ['plain', 'first']) {
      const { headers, trailers } = await send([message(text)]);
      expect(headers['x-first']).toBe(text === 'first' ? 'yes' : undefined);
      expect([trailers['grpc-status'], trailers['x-bin']]).toEqual(['10', 'AP8=']);
      expect(trailers['grpc-message']).toBe(encodeURI('ä \ufffd'));
    }
  });

  it('fails when its handler throws', async () => {
    handle = () => {
      throw new Error('a secret');
    };
    const { trailers } = await send([message('x')]);
    expect([trailers['grpc-status'], trailers['grpc-message']]).toEqual(['2', 'Unknown%20error']);
  });
});
