/**
 * How long `vi.waitFor`, `vi.waitUntil` and `expect.poll` wait unless a test names a time, in
 * milliseconds. Vitest's second is too short for a machine that is busy or stands still now and
 * then. It is below the time limit of a test, so that a wait that fails reports what it waited for.
 */
export const PATIENCE_MS = 240_000;
