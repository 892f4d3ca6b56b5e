import type { AddressInfo } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';
import type { Address } from '../config/setting-values.ts';
import type { Certificates } from './certificates.ts';
import type { ServerOptions } from './server-options.ts';

/** Lets REST listen; returns its URL. Throws io_error. */
export async function listenRest(
  rest: FastifyInstance,
  { rest: address, tls }: Pick<ServerOptions, 'rest' | 'tls'>,
): Promise<string> {
  await rest.listen(address).catch((error: unknown) => {
    throw refusedPort(address, error);
  });
  const { port } = rest.server.address() as AddressInfo;
  return `${tls === undefined ? 'http' : 'https'}://${hostPort({ ...address, port })}`;
}

/** Lets gRPC listen; returns its HOST:PORT. Without certificates, it is plain text. Throws io_error. */
export async function listenGrpc(
  server: Server,
  { grpc: address }: Pick<ServerOptions, 'grpc'>,
  certificates?: Certificates,
): Promise<string> {
  const credentials = certificates?.credentials ?? ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(hostPort(address), credentials, (error, at) =>
      error === null ? resolve(at) : reject(refusedPort(address, error)),
    );
  });
  return hostPort({ ...address, port });
}

const hostPort = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** What to do, by the error of the system. */
const LISTEN_HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has the port: choose another one; port 0 takes a free one',
  EACCES: 'this user may not use the port: choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address: 127.0.0.1 and 0.0.0.0 always work',
  ENOTFOUND: 'no machine of this name was found: 127.0.0.1 and 0.0.0.0 always work',
};

function refusedPort(address: Address, cause: unknown): LhsError {
  const reason = (cause as Error).message;
  const code = Object.keys(LISTEN_HINTS).find((one) => reason.includes(one));
  const words = code === 'EADDRINUSE' ? 'the port is in use' : reason;
  return new LhsError('io_error', `cannot listen on ${hostPort(address)}: ${words}`, {
    ...(code && { hint: LISTEN_HINTS[code] }),
    cause,
  });
}

/** Ends what serves calls; those that run longer than `ms` are cut off. */
export async function drained(
  close: () => Promise<void>,
  cut: () => void,
  ms: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([close(), late.then(cut)]);
  clearTimeout(timer);
}
