import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { unusedPort } from './unused-port.ts';
import { findVersitygw, startVersitygw } from './versitygw.ts';

/** A running server of objects with one bucket. */
export interface ObjectServer {
  /** The bucket, as places begin. */
  readonly place: string;
  /** The environment of a client. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** A server of objects by its name, and how it starts; null: it is not installed. */
export type ObjectServers = readonly (readonly [string, (() => Promise<ObjectServer>) | null])[];

/** The servers of the kinds of stores. LHS_SDKS names the folder of Azurite and of the SDKs. */
export function objectServers(): ObjectServers {
  const versitygw = findVersitygw();
  const sdks = process.env.LHS_SDKS ?? '';
  const azurite = join(sdks, 'node_modules/azurite/dist/src/blob/main.js');
  const gcs = sdks === '' ? null : findProgram('fake-gcs-server');
  return [
    ['versitygw', versitygw ? () => startS3(versitygw) : null],
    ['Azurite', sdks !== '' && existsSync(azurite) ? () => startAzurite(azurite) : null],
    ['fake-gcs-server', gcs ? () => startGcs(gcs) : null],
  ];
}

async function startS3(binary: string): Promise<ObjectServer> {
  const { env, close } = await startVersitygw(binary, 'lake');
  return { place: 's3://lake', env, close };
}

/** The name and key that Azurite has by its documentation. */
const ACCOUNT = 'devstoreaccount1';
const KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

async function startAzurite(file: string): Promise<ObjectServer> {
  const port = await unusedPort();
  const started = await start(port, process.execPath, (folder) => [
    ...[file, '--location', folder, '--blobPort', `${port}`, '--silent'],
    ...['--skipApiVersionCheck', '--disableTelemetry'],
  ]);
  const endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`;
  const connection =
    `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};` +
    `BlobEndpoint=${endpoint};`;
  const { loadAzure } = await import('../../packages/lake/src/objects/azure/azure-sdk.ts');
  const { BlobServiceClient } = await loadAzure();
  const client = BlobServiceClient.fromConnectionString(connection, {});
  const container: object = client.getContainerClient('lake');
  await (container as { create(): Promise<unknown> }).create();
  return {
    place: 'az://lake',
    env: { AZURE_STORAGE_CONNECTION_STRING: connection, ...started.env },
    close: started.close,
  };
}

async function startGcs(binary: string): Promise<ObjectServer> {
  const port = await unusedPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const started = await start(port, binary, (folder) => [
    ...['-scheme', 'http', '-host', '127.0.0.1', '-port', `${port}`, '-backend', 'filesystem'],
    ...['-filesystem-root', folder, '-external-url', endpoint, '-log-level', 'error'],
  ]);
  await fetch(`${endpoint}/storage/v1/b?project=p`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"lake"}',
  });
  return {
    place: 'gs://lake',
    env: { STORAGE_EMULATOR_HOST: endpoint, ...started.env },
    close: started.close,
  };
}

/** Starts a program over a new folder, and waits until its port answers. */
async function start(port: number, program: string, args: (folder: string) => readonly string[]) {
  const home = mkdtempSync(join(tmpdir(), 'lhs-objects-'));
  const folder = join(home, 'data');
  mkdirSync(folder);
  const server = spawn(program, args(folder), { stdio: 'ignore' });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    );
  await vi.waitFor(async () => expect(await answers()).toBe(true), 60_000);
  return {
    env: { LHS_OBJECT_CACHE_DIR: join(home, 'cache') },
    close() {
      server.kill();
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
