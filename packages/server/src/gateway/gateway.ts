import { Server } from '@grpc/grpc-js';
import { type FastifyInstance, fastify } from 'fastify';
import type { GatewayOptions } from './gateway-options.ts';

/** REST and gRPC over one backend. The caller lets both listen. */
export interface Gateway {
  readonly rest: FastifyInstance;
  readonly grpc: Server;
  /** Refuses new calls, waits for those that run, and closes both. */
  close(): Promise<void>;
}

/** A gateway that does not listen yet. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const rest: FastifyInstance = fastify();
  await options.extend?.(rest);
  const grpc = new Server();
  const shut = () =>
    new Promise<void>((resolve) => {
      grpc.tryShutdown(() => resolve());
    });
  return { rest, grpc, close: async () => void (await Promise.all([rest.close(), shut()])) };
}
