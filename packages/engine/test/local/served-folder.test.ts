import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { lockDataFolder } from '../../src/local/served-folder.ts';
import { openEngine } from '../../src/local-backend.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-served-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = fileURLToPath(new URL('../../src/local/served-folder.ts', import.meta.url));
const PROGRAM = `import { lockDataFolder } from ${JSON.stringify(MODULE)};
lockDataFolder(process.argv[1]);
console.log('locked');
setInterval(() => {}, 1000);`;

/** Another process that serves a data folder. */
async function serving(dataDir: string) {
  const args = ['--input-type=module-typescript', '-e', PROGRAM, dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    pid: child.pid,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('a data folder that another process serves', () => {
  it('refuses writers and servers by name, lets readers in, and is free after a kill', async () => {
    const dataDir = join(folder, 'data');
    const server = await serving(dataDir);
    const backend = await openEngine(dataDir, { create: true, threads: 0 });
    const named = { code: 'index_busy', message: expect.stringContaining(`process ${server.pid}`) };
    try {
      expect(await backend.listIndexes()).toEqual([]);
      await expect(backend.sync({ index: 'a' })).rejects.toMatchObject(named);
      await expect(backend.createIndex({ definition: 'x' })).rejects.toMatchObject(named);
      await expect(backend.follow({ index: 'a' }).next()).rejects.toMatchObject(named);
      expect(() => lockDataFolder(dataDir)).toThrow(expect.objectContaining(named));
      await server.kill();
      await expect(backend.sync({ index: 'a' })).rejects.toMatchObject({ code: 'index_not_found' });
      lockDataFolder(dataDir).release();
    } finally {
      await server.kill();
      await backend.close();
    }
  });

  it('lets the server itself write', async () => {
    const dataDir = join(folder, 'own');
    const lock = lockDataFolder(dataDir);
    const backend = await openEngine(dataDir, { create: true, threads: 0 });
    await expect(backend.sync({ index: 'a' })).rejects.toMatchObject({ code: 'index_not_found' });
    await backend.close();
    lock.release();
  });
});
