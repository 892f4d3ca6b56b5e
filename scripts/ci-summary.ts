/**
 * Prints `N passed, N failed, N skipped` of a vitest JSON report: the closing line that CI reads.
 */
import { readFileSync } from 'node:fs';

interface FileReport {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
/** Files that failed before or between their tests, which then count as skipped. */
const broken = report.testResults.filter(
  ({ status, assertionResults }: FileReport) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
console.log(`${passed} passed, ${failed + broken} failed, ${skipped} skipped`);
