// @module-tag campaign
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { S3Server } from '../../../lake/test/s3-server.ts';
import { type BackupLake, openBackupLake } from './backup-lake.ts';

const KILLS = Number(process.env.LHS_KILLS ?? byEffort(3, 6));
const child = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));

let lake: BackupLake;
let server: S3Server;
beforeEach(async () => {
  lake = await openBackupLake(100);
  server = await S3Server.start('vault');
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await lake.close();
});

const dataDir = () => join(lake.folder, 'data');
const folders = () => readdirSync(join(dataDir(), 'indexes'));
const target = 's3://vault/backups';

/** Names of the indexes as a process sees them that opens the data folder now, and reads. */
async function seenAnew(): Promise<readonly string[]> {
  const backend = await openEngine(dataDir(), { create: true, threads: 0 });
  try {
    await backend.search({ index: 't', query: 'disk' });
    return (await backend.listIndexes()).map(({ name }) => name);
  } finally {
    await backend.close();
  }
}

describe('a restore that is killed', () => {
  it(`${KILLS} times leaves nothing that the next process does not remove`, async () => {
    const { backend } = lake;
    await backend.backup({ index: 't', target });
    server.seen.length = 0;
    await backend.restore({ target, as: 'again', aliases: 'none' });
    const requests = server.seen.length;
    await backend.dropIndex({ index: 'again' });
    const own = folders();
    for (let n = 0; n < KILLS; n++) {
      const most = Math.ceil(((n + 1) * requests) / KILLS);
      const args = [child('restore-child'), dataDir(), target];
      const restoring = spawn(process.execPath, args, { stdio: 'inherit' });
      let answered = 0;
      server.fault = () => {
        if (++answered >= most) restoring.kill('SIGKILL');
        return null;
      };
      await once(restoring, 'exit');
      server.fault = () => null;
      expect(restoring.signalCode).toBe('SIGKILL');
      expect(await seenAnew()).toEqual(['t']);
      expect(folders()).toEqual(own);
    }
    expect(await backend.restore({ target, as: 'again', aliases: 'none' })).toMatchObject({
      num_docs: 100,
    });
    expect(await backend.verify({ index: 'again' })).toMatchObject({ equal: true });
  });
});

describe('a restore beside a process that sweeps the data folder all the time', () => {
  it('is whole whenever it is visible', async () => {
    const { backend } = lake;
    const place = lake.target;
    await backend.backup({ index: 't', target: place });
    const sweeping = spawn(process.execPath, [child('sweep-child'), dataDir()], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(sweeping, 'exit');
    await once(sweeping.stdout, 'data');
    for (let n = 0; n < 8; n++) {
      await backend.restore({ target: place, as: 'again', aliases: 'none' });
      const { total } = await backend.search({ index: 'again', query: 'disk' });
      expect(total).toBe(100);
      await backend.dropIndex({ index: 'again' });
    }
    sweeping.stdin.end();
    const [code] = await exit;
    expect(code).toBe(0);
    expect(folders()).toHaveLength(1);
  });
});
