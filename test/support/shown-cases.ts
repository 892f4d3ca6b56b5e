import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Milliseconds that a test may take, of the project that runs. */
    readonly testMillis: number;
  }
}

/**
 * Vitest loads this file before each test file. A property that fails looks for a smaller case,
 * which may take longer than a test may: before that it fails with the smallest case that it has
 * found. A case that never ends fails as well.
 */
fc.configureGlobal({
  interruptAfterTimeLimit: 0.9 * inject('testMillis'),
  markInterruptAsFailure: true,
});
