import type {
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerWritableStream,
  UntypedHandleCall,
} from '@grpc/grpc-js';
import { encodeMessage, type WireMethod } from '@lakehouse-search/client';
import { answerParts } from '@lakehouse-search/engine';
import type { Calls } from '../calls/calls.ts';
import { type AnyCall, GrpcCall } from './grpc-call.ts';
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
    const own = new GrpcCall(calls, method, call as unknown as AnyCall);
    answer(own, method, async () => own.run(own.read(call.request))).then(
      (bytes) => callback(null, bytes),
      (error) => callback(statusOf(error)),
    );
  };
}

function clientStream(calls: Calls, method: WireMethod): handleClientStreamingCall<Buffer, Buffer> {
  return (call, callback) => {
    const own = new GrpcCall(calls, method, call as unknown as AnyCall);
    answer(own, method, async () =>
      own.run(await joinParts(call, (bytes) => own.read(bytes))),
    ).then(
      (bytes) => callback(null, bytes),
      (error) => callback(statusOf(error)),
    );
  };
}

/** The bytes of the answer. */
async function answer(
  own: GrpcCall,
  { route, output }: WireMethod,
  run: () => Promise<unknown>,
): Promise<Buffer> {
  try {
    const value = await run();
    const message = route.list === undefined ? (value ?? {}) : { [route.list]: value };
    const bytes = bytesOf(output, message);
    own.bytesOut = bytes.length;
    own.end();
    return bytes;
  } catch (error) {
    own.end(error);
    throw error;
  }
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
    const own = new GrpcCall(calls, method, call as unknown as AnyCall);
    send(own, method, call).then(
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
): Promise<void> {
  const { items } = (await own.run(own.read(call.request))) as { items: AsyncIterable<unknown> };
  for await (const item of items) {
    const bytes = Buffer.from(encodeMessage(output, item));
    own.bytesOut += bytes.length;
    if (call.cancelled) return;
    if (!call.write(bytes)) await drained(call);
  }
}

function drained(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'cancelled', 'close']) call.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close']) call.on(event, done);
  });
}
