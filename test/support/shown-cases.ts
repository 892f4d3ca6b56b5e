import fc from 'fast-check';
import { PATIENCE_MS } from './patience.ts';

/**
 * Vitest loads this file before each test file. A property that fails looks for a smaller case,
 * which may take longer than a test may. After this time it fails with the smallest case that it
 * has found; a case that never ends fails as well. `npm run test:long` has hours, and no such
 * limit.
 */
if (process.env.LHS_TEST_LONG === undefined) {
  fc.configureGlobal({ interruptAfterTimeLimit: PATIENCE_MS, markInterruptAsFailure: true });
}
