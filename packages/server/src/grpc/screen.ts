/** What a gRPC server looks at before it reads the request of a call. */
import { type Metadata, type ServiceDefinition, type StatusObject, status } from '@grpc/grpc-js';

type MethodDefinition = ServiceDefinition[string];

/** A call whose headers have arrived. */
export interface Arriving {
  readonly metadata: Metadata;
  getPeer(): string;
  /** Initial metadata. */
  sendMetadata(metadata: Metadata): void;
}

/** A status with which a call fails. */
export type Failure = Partial<StatusObject>;

/** Refuses calls by their headers, and by the bytes that they send. */
export interface Screen {
  /** Bytes of a request, at most; of a stream of requests: of each message. */
  readonly mostBytes: number;
  /** Throws the status of a call that is refused. */
  readonly admit: (call: Arriving) => undefined | Promise<void>;
  /** The status of a call that sends more bytes. */
  readonly tooLarge: (call: Arriving, bytes: number) => Failure;
}

/** A method with the screen of its calls. */
export type ScreenedMethod = MethodDefinition & { readonly screen: Screen };

/** The status of a message that is too large, without details of ours. */
export function plainTooLarge(mostBytes: number): Screen['tooLarge'] {
  return (_, bytes) => ({
    code: status.RESOURCE_EXHAUSTED,
    details: `Received message larger than max (${bytes} vs ${mostBytes})`,
  });
}

const OPEN_BYTES = 64 * 1024;

/** The screen of methods that everybody may call: health and reflection. */
export const openScreen: Screen = Object.freeze({
  mostBytes: OPEN_BYTES,
  admit: () => undefined,
  tooLarge: plainTooLarge(OPEN_BYTES),
});

const same = (bytes: Buffer): Buffer => bytes;

/** The definition of a method whose messages are bytes. */
export function bytesMethod(
  path: string,
  screen: Screen,
  streams: Partial<Pick<MethodDefinition, 'requestStream' | 'responseStream'>> = {},
): ScreenedMethod {
  return {
    ...{ path, requestStream: false, responseStream: false, ...streams },
    ...{ requestSerialize: same, requestDeserialize: same },
    ...{ responseSerialize: same, responseDeserialize: same },
    screen,
  };
}
