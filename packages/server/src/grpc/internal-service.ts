import type {
  Server,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { readNodeCall } from '../cluster/cluster-token.ts';
import type { InternalMethod } from '../cluster/internal-method.ts';
import type { NodeCall } from '../cluster/node-client.ts';
import { textOf } from './arrived.ts';
import { clusterScreen } from './cluster-screen.ts';
import { bytesMethod } from './screen.ts';
import { statusOf } from './status-of.ts';

type Call = ServerUnaryCall<Buffer, Buffer>;

/** Adds methods for callers with the key of the cluster; without a key, all may call them. */
export function addInternalService(
  server: Server,
  key: string | undefined,
  methods: readonly InternalMethod[],
): void {
  const definition = methods.map(({ path, mostBytes }) => {
    return [path, bytesMethod(path, clusterScreen(key, mostBytes))];
  });
  const implementation = methods.map(({ path, run }) => [path, handlerOf(key, run)]);
  server.addService(
    Object.fromEntries(definition) as ServiceDefinition,
    Object.fromEntries(implementation) as UntypedServiceImplementation,
  );
}

function handlerOf(key: string | undefined, run: InternalMethod['run']) {
  return (call: Call, callback: sendUnaryData<Buffer>): void => {
    const stop = new AbortController();
    let ended = false;
    // grpc-js reports every call that has ended as cancelled, and an abort builds a stack.
    call.on('cancelled', () => {
      if (!ended) stop.abort();
    });
    const answer = async () => run(call.request, contextOf(call, key, stop.signal));
    const end = (...[error, bytes]: Parameters<typeof callback>) => {
      ended = true;
      callback(error, bytes);
    };
    answer().then(
      (bytes) => end(null, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
      (error: unknown) => end(statusOf(error)),
    );
  };
}

function contextOf(
  call: Pick<Call, 'metadata' | 'getDeadline'>,
  key: string | undefined,
  signal: AbortSignal,
): NodeCall {
  const { principal } = readNodeCall(key, textOf(call.metadata, 'authorization'));
  const deadline = Number(call.getDeadline());
  const traceparent = textOf(call.metadata, 'traceparent');
  return {
    signal,
    ...(Number.isFinite(deadline) ? { deadline } : {}),
    ...(principal === undefined ? {} : { principal }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
