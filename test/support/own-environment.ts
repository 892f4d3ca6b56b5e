import { vi } from 'vitest';

const began = Symbol.for('lhs: environment at the start of the process');
const shared = globalThis as { [began]?: NodeJS.ProcessEnv };
shared[began] ??= { ...process.env };

/**
 * Vitest loads this file before each test file. Files share a process: each of them begins with the
 * environment at the start of the process, and with the real clock.
 */
vi.useRealTimers();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
vi.restoreAllMocks();
const isOwn = (name: string) => name.startsWith('VITEST') || name in (shared[began] ?? {});
for (const name of Object.keys(process.env)) if (!isOwn(name)) delete process.env[name];
for (const [name, value] of Object.entries(shared[began])) {
  if (!name.startsWith('VITEST')) process.env[name] = value;
}
