/** Streams of gRPC, which grpc-js serves. It is loaded with the first of them. */
import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import type { TransportCall } from '../remote/transport.ts';
import { decodeMessage } from '../wire/decode.ts';
import { encodeMessage } from '../wire/encode.ts';
import type { WireMethod } from '../wire/methods.ts';
import { batchMessages } from './batch-messages.ts';
import { CHANNEL_OPTIONS } from './channel-options.ts';
import { errorOfStream } from './status-error.ts';
import { trustedRoots } from './trusted-roots.ts';

const same = (bytes: Buffer): Buffer => bytes;

/** A client of grpc-js. `secure`: TLS with the certificates of the system. */
export function streamClient(address: string, secure: boolean): Client {
  const channel = secure ? credentials.createSsl(trustedRoots()) : credentials.createInsecure();
  return new Client(address, channel, CHANNEL_OPTIONS);
}

/** The bytes of the answer of a unary call. */
export function unaryBytes(
  client: Client,
  path: string,
  bytes: Buffer,
  call: TransportCall,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = answering(client, call, resolve, reject);
    const { metadata, options } = settingsOf(call);
    const own = client.makeUnaryRequest(path, same, same, bytes, metadata, options, done);
    done.cancelWith(() => own.cancel());
  });
}

/** Sends a change batch part by part; the bytes of the answer. */
export function sendStream(
  client: Client,
  method: WireMethod,
  request: unknown,
  call: TransportCall,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = answering(client, call, resolve, reject);
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

/** The end of a call, which its signal may cancel. */
function answering(
  client: Client,
  { signal }: TransportCall,
  resolve: (bytes: Buffer) => void,
  reject: (error: unknown) => void,
): Answer {
  let stop: (() => void) | undefined;
  const done = (error: ServiceError | null, bytes?: Buffer): void => {
    if (stop !== undefined) signal?.removeEventListener('abort', stop);
    if (error === null) resolve(bytes!);
    else reject(failureOf(error, client));
  };
  const cancelWith = (cancel: () => void): void => {
    stop = cancel;
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
  };
  return Object.assign(done, { cancelWith });
}

/** The items of a stream of responses. */
export async function* receiveStream(
  client: Client,
  { path, input, output }: WireMethod,
  request: unknown,
  call: TransportCall,
): AsyncGenerator<unknown> {
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
    throw failureOf(error, client);
  } finally {
    call.signal?.removeEventListener('abort', cancel);
    // The cancellation of a stream that is read no more arrives as an error of its own.
    own.on('error', () => {});
    own.cancel();
  }
}

/** The target of a channel is `dns:HOST:PORT`. */
const failureOf = (error: unknown, client: Client) =>
  errorOfStream(error, client.getChannel().getTarget().replace(/^dns:/, ''));

function settingsOf({ authorization, deadline, traceparent }: TransportCall) {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return { metadata, options: deadline === undefined ? {} : { deadline } };
}
