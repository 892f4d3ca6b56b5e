/**
 * Prints `N passed, N failed, N skipped` of vitest's JSON reports, added up: the closing line that
 * CI reads. A report that is missing counts as one failure.
 */
import { existsSync, readFileSync } from 'node:fs';

interface FileReport {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  if (!existsSync(path)) {
    sum.failed++;
    continue;
  }
  const report = JSON.parse(readFileSync(path, 'utf8'));
  /** Files that failed before or between their tests, which then count as skipped. */
  const broken = report.testResults.filter(
    ({ status, assertionResults }: FileReport) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests + broken;
  sum.skipped += report.numPendingTests;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
