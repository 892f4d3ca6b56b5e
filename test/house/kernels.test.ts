/** Compiled kernels are what their source gives. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codeFile, digestOf, MODULES } from '../../scripts/kernels/compile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the kernel builds', () => {
  it('exist for every room', () => {
    const rooms = globSync('packages/engine/src/**/kernel-code.ts', { cwd: root });
    expect(MODULES.length).toBe(rooms.length);
  });

  it.each(MODULES)('$name is compiled from its sources (npm run kernels)', (module) => {
    expect(readFileSync(codeFile(module), 'utf8')).toContain(digestOf(module));
  });
});
