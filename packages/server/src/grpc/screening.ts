import type { ServerHttp2Stream } from 'node:http2';
import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import { FRAME_HEAD_BYTES } from '@lakehouse-search/client/internal';
import { type Arriving, type Failure, openScreen, type Screen } from './screen.ts';

type MethodOf = Parameters<ServerInterceptor>[0];

/**
 * Screens the calls that grpc-js serves: it reads nothing of a request before the headers have
 * passed. `arriving`: the stream of the call that is being made.
 */
export function screening(
  screens: ReadonlyMap<string, Screen>,
  arriving: { readonly stream?: ServerHttp2Stream },
): ServerInterceptor {
  return (method, call) => {
    const screen = screens.get(method.path) ?? openScreen;
    const own = screenedCall(call);
    limitBytes(method, screen, arriving.stream, own);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) => {
            own.metadata = metadata;
            const admitted = attempt(() => screen.admit(own));
            const refuse = (error: unknown) => own.fail(error as Failure);
            if (admitted === undefined) go(metadata);
            else admitted.then(() => go(metadata), refuse);
          },
        }),
    });
  };
}

/** A call as screens see it; `fail` ends it. */
interface ScreenedCall extends Arriving {
  metadata: Metadata;
  fail(failure: Failure): void;
}

function screenedCall(call: ServerInterceptingCallInterface): ScreenedCall {
  return {
    metadata: new Metadata(),
    getPeer: () => call.getPeer(),
    sendMetadata: (metadata) => call.sendMetadata(metadata),
    fail: (failure) => call.sendStatus(failure as Parameters<typeof call.sendStatus>[0]),
  };
}

function attempt(work: () => undefined | Promise<void>): undefined | Promise<void> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * Ends a call with one request that sends more bytes than its method takes. grpc-js has one limit
 * for all methods: that of each message of a stream.
 */
function limitBytes(
  { requestStream }: MethodOf,
  screen: Screen,
  stream: ServerHttp2Stream | undefined,
  call: ScreenedCall,
): void {
  if (requestStream && screen !== openScreen) return;
  let bytes = -FRAME_HEAD_BYTES;
  stream?.on('data', (part: Buffer) => {
    const isOver = bytes > screen.mostBytes;
    bytes += part.length;
    if (!isOver && bytes > screen.mostBytes) call.fail(screen.tooLarge(call, bytes));
  });
}
