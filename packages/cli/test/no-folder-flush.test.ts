import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

const home = new Home();
afterAll(() => home.dispose());

/** Flushing a folder fails as it does on Windows. */
const HOOK = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const refuse = (stat) => {
  if (!stat.isDirectory()) return;
  const message = 'EPERM: operation not permitted, fsync';
  throw Object.assign(new Error(message), { code: 'EPERM', errno: -1, syscall: 'fsync' });
};
const { fsyncSync } = fs;
fs.fsyncSync = (descriptor) => {
  refuse(fs.fstatSync(descriptor));
  fsyncSync(descriptor);
};
const file = await fs.promises.open(new URL(import.meta.url));
const { sync } = Object.getPrototypeOf(file);
Object.getPrototypeOf(file).sync = async function () {
  refuse(await this.stat());
  await sync.call(this);
};
await file.close();
syncBuiltinESMExports();
`;

describe('a system that cannot flush folders', () => {
  const hook = home.path('hook.mjs');
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run([...args, '--json'], { env });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  it('builds, changes, syncs, verifies, backs up, restores and drops an index', async () => {
    writeFileSync(hook, HOOK);
    expect(await done('demo')).toMatchObject({ equal: true, inserted: 20 });
    const copies = home.path('copies');
    await done('index', 'backup', 'demo-incidents', '--to', copies, '--verify');
    await done('index', 'restore', copies, '--as', 'second', '--aliases', 'none');
    expect(await done('index', 'verify', 'second')).toMatchObject({ equal: true });
    await done('delete', 'second', '--yes');
  });
});
