import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { ended, Home } from './child.ts';

/** `import --follow`, in a process of its own, until a signal. */
const home = new Home();
afterAll(() => home.dispose());
const lhs = (name: string) => fileURLToPath(new URL(`../bin/${name}`, import.meta.url));
const file = home.path('app.log');
const to = ['--table', 'my.app', '--warehouse', home.path('lake')];
const follow = (...more: string[]) =>
  home.start(['import', file, ...to, '--follow', '--interval', '0.1', ...more]);

describe('an import that follows a file', () => {
  it('ends with 0 on a signal, and the next one goes on behind it', async () => {
    writeFileSync(file, 'one\ntwo\nhalf');
    for (const [signal, inserted, more] of [
      ['SIGINT', 2, ' a line\n'],
      ['SIGTERM', 1, ''],
    ] as const) {
      const child = follow('--json');
      const end = ended(child);
      for await (const line of createInterface({ input: child.stdout! })) {
        const event = JSON.parse(line) as { event: string };
        if (event.event === 'commit') expect(event).toMatchObject({ inserted });
        if (event.event === 'waiting') break;
      }
      child.kill(signal);
      expect(await end).toMatchObject({ code: 0 });
      appendFileSync(file, more);
    }
    const rows = await home.run(['source', 'rows', 'my.app', ...to.slice(2), '--format', 'csv']);
    expect(rows.stdout.trim().split('\n').slice(1).sort()).toEqual([
      '1,one',
      '2,two',
      '3,half a line',
    ]);
  });

  it('ends with a killed launcher of a newer Node', async () => {
    const launcher = pathToFileURL(lhs('newer-node.js'));
    const script = `import(${JSON.stringify(launcher)}).then((m) => m.runWith(process.execPath))`;
    const args = [lhs('lhs.js'), 'import', file, ...to, '--follow', '--interval', '0.1'];
    const child = spawn(process.execPath, ['-e', script, ...args]);
    await once(child.stderr, 'data');
    child.kill('SIGKILL');
    // its child has the same stream
    await once(child.stderr.resume(), 'close');
  });

  it('takes one file', async () => {
    const two = await home.run(['import', file, file, ...to, '--follow']);
    expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('one file') });
    const stream = await home.run(['import', '-', ...to, '--follow'], { input: 'x' });
    expect(stream).toMatchObject({ code: 2, stderr: expect.stringContaining('one file') });
  });
});
