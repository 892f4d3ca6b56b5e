import type {
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerWritableStream,
  sendUnaryData,
  UntypedHandleCall,
} from '@grpc/grpc-js';
import { encodeMessage, type WireMethod } from '@lakehouse-search/client/internal';
import { answerParts } from '@lakehouse-search/engine/internal';
import type { Calls } from '../calls/calls.ts';
import { ReaderWatch } from '../calls/reader-watch.ts';
import { GrpcCall } from './grpc-call.ts';
import { joinParts } from './join-parts.ts';
import { statusOf } from './status-of.ts';

/** The handler of a method. */
export function handlerOf(calls: Calls, method: WireMethod): UntypedHandleCall {
  const { stream } = method.route;
  if (stream === 'responses') return serverStream(calls, method);
  return stream === 'requests' ? clientStream(calls, method) : unary(calls, method);
}

function unary(calls: Calls, method: WireMethod): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const own = new GrpcCall(calls, method, call);
    const answered = answer(own, method, async () => own.run(own.read(call.request)));
    answerBy(callback, own, answered);
  };
}

function clientStream(calls: Calls, method: WireMethod): handleClientStreamingCall<Buffer, Buffer> {
  return (call, callback) => {
    const own = new GrpcCall(calls, method, call);
    const answered = answer(own, method, async () =>
      own.run(await joinParts(call, (bytes) => own.read(bytes))),
    );
    answerBy(callback, own, answered);
  };
}

/** The bytes of the answer. */
async function answer(
  own: GrpcCall,
  { route, output }: WireMethod,
  run: () => Promise<unknown>,
): Promise<Buffer> {
  const value = await run();
  const message = route.list === undefined ? (value ?? {}) : { [route.list]: value };
  const bytes = bytesOf(output, message);
  own.bytesOut = bytes.length;
  return bytes;
}

/** Sends the answer or the error, then ends the call: the client does not wait for its record. */
function answerBy(callback: sendUnaryData<Buffer>, own: GrpcCall, answered: Promise<Buffer>): void {
  const send = (error: unknown, ...answer: Parameters<typeof callback>) => {
    try {
      callback(...answer);
    } finally {
      own.end(error);
    }
  };
  answered.then(
    (bytes) => send(undefined, null, bytes),
    (error) => send(error, statusOf(error)),
  );
}

/** The bytes of members of cached answers, by these members. */
const encoded = new WeakMap<object, Buffer>();

/** A message as bytes. A message is the same in two parts: its fields may come in any order. */
function bytesOf(output: WireMethod['output'], message: object): Buffer {
  const parts = answerParts(message);
  if (parts === undefined) return bufferOf(encodeMessage(output, message));
  let members = encoded.get(parts.members);
  if (members === undefined) {
    members = Buffer.from(encodeMessage(output, parts.members));
    encoded.set(parts.members, members);
  }
  return Buffer.concat([members, encodeMessage(output, parts.others)]);
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

function serverStream(calls: Calls, method: WireMethod): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const own = new GrpcCall(calls, method, call);
    send(own, method, call, calls.readerMs).then(
      () => {
        own.end();
        call.end();
      },
      (error) => {
        own.end(error);
        call.emit('error', statusOf(error));
      },
    );
  };
}

/** Sends items as fast as the client takes them. */
async function send(
  own: GrpcCall,
  { output }: WireMethod,
  call: ServerWritableStream<Buffer, Buffer>,
  readerMs: number,
): Promise<void> {
  const { items } = (await own.run(own.read(call.request))) as { items: AsyncIterable<unknown> };
  for await (const item of items) {
    const bytes = Buffer.from(encodeMessage(output, item));
    own.bytesOut += bytes.length;
    if (call.cancelled) return;
    if (!call.write(bytes)) await drained(call, readerMs);
  }
}

/** Waits until the client takes more, or has left. Throws interrupted if it takes nothing. */
function drained(call: ServerWritableStream<Buffer, Buffer>, readerMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      watch.end();
      for (const event of EVENTS) call.off(event, resolved);
      if (error === undefined) resolve();
      else reject(error);
    };
    const resolved = () => done();
    const watch = new ReaderWatch(readerMs, done);
    watch.offered();
    for (const event of EVENTS) call.on(event, resolved);
  });
}

const EVENTS = ['drain', 'cancelled', 'close'] as const;
