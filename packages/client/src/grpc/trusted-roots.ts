import { readFileSync } from 'node:fs';

/**
 * The authorities that connections of gRPC trust: those of grpc-js's variable, and those that
 * NODE_EXTRA_CA_CERTS adds. Undefined without the first: Node's own, which have the others.
 */
export function trustedRoots(): Buffer | undefined {
  const { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: roots, NODE_EXTRA_CA_CERTS: further } = process.env;
  if (!roots) return undefined;
  const files = further ? [roots, further] : [roots];
  return Buffer.concat(files.flatMap((file) => [readFileSync(file), Buffer.from('\n')]));
}
