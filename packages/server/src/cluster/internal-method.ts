import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { MessageMethod, NodeCall } from './node-client.ts';

/** A method that processes of a cluster call, over bytes of messages. */
export interface InternalMethod {
  readonly path: string;
  /** Bytes of a request, at most. */
  readonly mostBytes: number;
  readonly run: (request: Uint8Array, call: NodeCall) => Promise<Uint8Array>;
}

/** Bytes of what grows with indexes and pages. */
export const LARGE_BYTES = 64 * 1024 * 1024;
const SMALL_BYTES = 1024 * 1024;

/** A method by what answers its messages. */
export const internalMethod = <In extends DescMessage, Out extends DescMessage>(
  { path, input, output }: MessageMethod<In, Out>,
  answer: (request: MessageShape<In>, call: NodeCall) => Promise<MessageInitShape<Out>>,
  mostBytes: number = SMALL_BYTES,
): InternalMethod => ({
  ...{ path, mostBytes },
  run: async (bytes, call) =>
    toBinary(output, create(output, await answer(fromBinary(input, bytes), call))),
});
