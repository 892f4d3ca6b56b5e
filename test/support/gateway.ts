import type { AddressInfo } from 'node:net';
import { ServerCredentials } from '@grpc/grpc-js';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { type CallContext, LhsError, type Principal } from '@lakehouse-search/contract';
import type { BackendApi, ServiceApi } from '@lakehouse-search/contract/internal';
import { type Access, createGateway, type GatewayOptions } from '@lakehouse-search/server';

/** Believes each caller: the header holds the principal. */
const believing: Access = {
  authenticate(authorization) {
    const [, text] = /^Test (.+)$/.exec(authorization ?? '') ?? [];
    if (text === undefined) return undefined;
    const principal = JSON.parse(decodeURIComponent(text)) as Principal;
    if (principal.subject === 'nobody') throw new LhsError('unauthenticated', 'unknown token');
    return principal;
  },
  authorize() {},
};

const authorization = ({ principal }: CallContext): string | undefined =>
  principal === undefined ? undefined : `Test ${encodeURIComponent(JSON.stringify(principal))}`;

/** A gateway that listens on this machine, over a backend that it closes. */
export interface TestGateway {
  readonly restUrl: string;
  readonly grpcUrl: string;
  /** A client that is whoever a call says. */
  client(transport: 'rest' | 'grpc'): ServiceApi;
  close(): Promise<void>;
}

/** Starts a gateway over a backend. */
export async function startGateway(
  backend: BackendApi,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const gateway = await createGateway({ backend, access: believing, ...options });
  await gateway.rest.listen({ port: 0, host: '127.0.0.1' });
  const { port } = gateway.rest.server.address() as AddressInfo;
  const grpcPort = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    gateway.grpc.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const restUrl = `http://127.0.0.1:${port}`;
  const grpcUrl = `grpc://127.0.0.1:${grpcPort}`;
  return {
    restUrl,
    grpcUrl,
    client: (transport) =>
      createRemote({ url: transport === 'rest' ? restUrl : grpcUrl, authorization }),
    async close() {
      await gateway.close();
      await backend.close();
    },
  };
}
