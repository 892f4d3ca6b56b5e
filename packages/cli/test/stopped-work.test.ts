import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ended } from './child.ts';

const SCRIPT = fileURLToPath(new URL('./stoppable-child.ts', import.meta.url));

/** Runs work that gets a signal when it has begun. */
function signalled(end: 'stopped' | 'late', signal: NodeJS.Signals) {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
  const child = spawn(process.execPath, [SCRIPT, end], { env });
  child.stderr.on('data', function begun(text) {
    if (!`${text}`.includes('working')) return;
    child.stderr.off('data', begun);
    child.kill(signal);
  });
  return ended(child);
}

describe.each(['SIGINT', 'SIGTERM'] as const)('work stopped by %s', (signal) => {
  it('that stops the work: exit code 130, and what is true then', async () => {
    const { code, stdout, stderr } = await signalled('stopped', signal);
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toBe(
      'working\n\nstopping … (again to stop at once)\nerror: interrupted: nothing was changed\n',
    );
  });

  it('that comes too late: the response, exit code 0 and a line that says so', async () => {
    const { code, stdout, stderr } = await signalled('late', signal);
    expect([code, stdout]).toEqual([0, 'built\n']);
    expect(stderr).toBe(
      'working\n\nstopping … (again to stop at once)\n' +
        'the work finished before the signal arrived\n',
    );
  });
});
