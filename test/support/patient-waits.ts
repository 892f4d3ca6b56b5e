import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

const patched = Symbol.for('lhs: waits are patient');

/** Vitest loads this file before each test file; where files share a process, once is enough. */
if (!(patched in vi)) {
  const { waitFor, waitUntil } = vi;
  const patient = (options: Parameters<typeof waitFor>[1]) =>
    typeof options === 'object' ? { timeout: PATIENCE_MS, ...options } : (options ?? PATIENCE_MS);
  Object.assign(vi, {
    waitFor: ((check, options) => waitFor(check, patient(options))) as typeof waitFor,
    waitUntil: ((check, options) => waitUntil(check, patient(options))) as typeof waitUntil,
    [patched]: true,
  });
}
