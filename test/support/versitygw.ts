import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { findProgram } from './find-program.ts';
import { unusedPort } from './unused-port.ts';

/** A running versitygw: the folders in `data` are its buckets. */
export interface Versitygw {
  readonly data: string;
  /** The environment of a client. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** The program versitygw; null if it is not there. */
export const findVersitygw = (): string | null => findProgram('versitygw');

/** Starts versitygw over a new folder with these buckets. */
export async function startVersitygw(
  binary: string,
  ...buckets: readonly string[]
): Promise<Versitygw> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-versitygw-'));
  const data = join(folder, 'data');
  for (const bucket of buckets) mkdirSync(join(data, bucket), { recursive: true });
  const port = await unusedPort();
  const keys = { ROOT_ACCESS_KEY: 'demo', ROOT_SECRET_KEY: 'demo-secret' };
  const args = ['--port', `127.0.0.1:${port}`, 'posix', data];
  const gateway: ChildProcess = spawn(binary, args, {
    env: { ...process.env, ...keys },
    stdio: 'ignore',
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    );
  await vi.waitFor(async () => expect(await answers()).toBe(true), 60_000);
  return {
    data,
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: keys.ROOT_ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: keys.ROOT_SECRET_KEY,
      LHS_OBJECT_CACHE_DIR: join(folder, 'cache'),
    },
    close() {
      gateway.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
