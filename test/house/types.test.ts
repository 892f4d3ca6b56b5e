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
    const args = [compiler, '-p', folder, '--listFiles'];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => !/^\S+\.ts$/.test(line))).toEqual([]);
    // Programs load the types of operations, not those of the engine's parts
    expect(lines.filter((line) => line.endsWith('engine/dist/local-backend.d.ts'))).toEqual([]);
    const typos = readFileSync(join(folder, 'typed.ts'), 'utf8').match(
      /^ *\/\/ @ts-expect-error$/gm,
    );
    expect(typos?.length).toBeGreaterThanOrEqual(110);
  });
});
