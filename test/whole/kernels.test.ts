// @module-tag campaign
// @module-tag program
/** Committed kernels have the bytes that the compiler makes of their sources. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeFile, compileModule, MODULES } from '../../scripts/kernels/compile.ts';

describe('the compiler of kernels', () => {
  if (process.env.LHS_CLANG === undefined) {
    it.skip('is not tested: LHS_CLANG names no folder of @yowasp/clang', () => {});
    return;
  }
  it.each(MODULES)('makes the committed bytes of $name', { timeout: 240_000 }, async (module) => {
    expect(await compileModule(module)).toBe(readFileSync(codeFile(module), 'utf8'));
  });
});
