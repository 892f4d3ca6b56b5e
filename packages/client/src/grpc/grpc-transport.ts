import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Operation } from '@lakehouse-search/contract';
import type { Transport, TransportCall } from '../remote/transport.ts';
import { decodeMessage } from '../wire/decode.ts';
import { encodeMessage } from '../wire/encode.ts';
import { METHODS, type WireMethod } from '../wire/methods.ts';
import { batchMessages } from './batch-messages.ts';
import { errorOfStatus } from './status-error.ts';

const same = (bytes: Buffer): Buffer => bytes;
const OPTIONS = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // This package retries calls itself.
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
  // A server that was restarted is found within a second.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
};

/** Calls over gRPC. `secure`: TLS with the certificates of the system. */
export function grpcTransport(address: string, secure: boolean): Transport {
  const channel = secure ? credentials.createSsl() : credentials.createInsecure();
  const client = new Client(address, channel, OPTIONS);
  return {
    unary: (operation, request, call) =>
      METHODS[operation].route.stream === 'requests'
        ? sendStream(client, METHODS[operation], request, call)
        : unary(client, METHODS[operation], request, call),
    stream: (operation, request, call) => stream(client, operation, request, call),
    close: async () => client.close(),
  };
}

function unary(
  client: Client,
  method: WireMethod,
  request: unknown,
  call: TransportCall,
): Promise<unknown> {
  const bytes = Buffer.from(encodeMessage(method.input, request ?? {}));
  return new Promise((resolve, reject) => {
    const done = answering(method, call, resolve, reject);
    const { metadata, options } = settingsOf(call);
    const own = client.makeUnaryRequest(method.path, same, same, bytes, metadata, options, done);
    done.cancelWith(() => own.cancel());
  });
}

/** Sends a change batch part by part. */
function sendStream(
  client: Client,
  method: WireMethod,
  request: unknown,
  call: TransportCall,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = answering(method, call, resolve, reject);
    const { metadata, options } = settingsOf(call);
    const own = client.makeClientStreamRequest(method.path, same, same, metadata, options, done);
    done.cancelWith(() => own.cancel());
    const send = async () => {
      for await (const message of batchMessages(request)) {
        const bytes = Buffer.from(encodeMessage(method.input, message));
        if (!own.write(bytes)) await new Promise((more) => own.once('drain', more));
      }
      own.end();
    };
    send().catch((error: unknown) => {
      own.cancel();
      reject(error);
    });
  });
}

type Answer = ((error: ServiceError | null, bytes?: Buffer) => void) & {
  cancelWith(cancel: () => void): void;
};

/** Decodes the answer of a call, and lets its signal cancel it. */
function answering(
  { route, output }: WireMethod,
  { signal }: TransportCall,
  resolve: (value: unknown) => void,
  reject: (error: unknown) => void,
): Answer {
  let stop: (() => void) | undefined;
  const done = (error: ServiceError | null, bytes?: Buffer): void => {
    if (stop !== undefined) signal?.removeEventListener('abort', stop);
    try {
      if (error !== null) throw errorOfStatus(error);
      const value = decodeMessage(output, bytes!, 'response');
      resolve(
        route.empty === true ? undefined : route.list === undefined ? value : value[route.list],
      );
    } catch (thrown) {
      reject(thrown);
    }
  };
  const cancelWith = (cancel: () => void): void => {
    stop = cancel;
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
  };
  return Object.assign(done, { cancelWith });
}

async function* stream(
  client: Client,
  operation: Operation,
  request: unknown,
  call: TransportCall,
): AsyncGenerator<unknown> {
  const { path, input, output } = METHODS[operation];
  const bytes = Buffer.from(encodeMessage(input, request ?? {}));
  const { metadata, options } = settingsOf(call);
  const own = client.makeServerStreamRequest(path, same, same, bytes, metadata, options);
  const cancel = () => own.cancel();
  call.signal?.addEventListener('abort', cancel, { once: true });
  if (call.signal?.aborted) cancel();
  try {
    for await (const item of own as ClientReadableStream<Buffer>) {
      yield decodeMessage(output, item as Buffer, 'response');
    }
  } catch (error) {
    throw errorOfStatus(error);
  } finally {
    call.signal?.removeEventListener('abort', cancel);
    // The cancellation of a stream that is read no more arrives as an error of its own.
    own.on('error', () => {});
    own.cancel();
  }
}

function settingsOf({ authorization, deadline }: TransportCall) {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  return { metadata, options: deadline === undefined ? {} : { deadline } };
}
