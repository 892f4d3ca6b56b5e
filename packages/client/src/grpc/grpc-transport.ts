import type { Client } from '@grpc/grpc-js';
import type { Transport, TransportCall } from '../remote/transport.ts';
import { decodeMessage } from '../wire/decode.ts';
import { encodeMessage } from '../wire/encode.ts';
import { METHODS, type WireMethod } from '../wire/methods.ts';
import { openChannel } from './unary-channel.ts';

/** Settings of proxies: with one of them grpc-js serves all calls. */
const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy'];

/**
 * Calls over gRPC. `secure`: TLS with the certificates of the system. Unary calls have a connection
 * of their own; streams share one of grpc-js.
 */
export function grpcTransport(address: string, secure: boolean): Transport {
  const channel = openChannel(address, secure);
  const isProxied = PROXIES.some((name) => (process.env[name] ?? '') !== '');
  let client: Client | undefined;
  const streams = async () => {
    const own = await import('./grpc-streams.ts');
    client ??= own.streamClient(address, secure);
    return { ...own, client };
  };

  async function unaryBytes({ path, input }: WireMethod, request: unknown, call: TransportCall) {
    const bytes = encodeMessage(input, request ?? {});
    if (!isProxied) return channel.call(path, bytes, call);
    const own = await streams();
    return own.unaryBytes(own.client, path, Buffer.from(bytes), call);
  }

  async function batchBytes(method: WireMethod, request: unknown, call: TransportCall) {
    const own = await streams();
    return own.sendStream(own.client, method, request, call);
  }

  return {
    async unary(operation, request, call) {
      const method = METHODS[operation];
      const { route, output } = method;
      const bytes = await (route.stream === 'requests' ? batchBytes : unaryBytes)(
        method,
        request,
        call,
      );
      const value = decodeMessage(output, bytes, 'response');
      if (route.empty === true) return undefined;
      return route.list === undefined ? value : value[route.list];
    },
    async *stream(operation, request, call) {
      const own = await streams();
      yield* own.receiveStream(own.client, METHODS[operation], request, call);
    },
    async close() {
      channel.close();
      client?.close();
    },
  };
}
