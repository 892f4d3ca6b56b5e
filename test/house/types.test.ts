import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

describe('the types of requests and answers', () => {
  /** Compiled against the declarations in `dist`, as programs of others are. */
  it('refuse each typo of test/types, and nothing else, in the strictest programs', () => {
    const folder = join(ROOT, 'test/types');
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
    const typos = readFileSync(join(folder, 'typed.ts'), 'utf8').match(
      /^ *\/\/ @ts-expect-error$/gm,
    );
    expect(typos?.length).toBeGreaterThanOrEqual(75);
  });
});
