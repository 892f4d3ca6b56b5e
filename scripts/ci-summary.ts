/** Prints `N passed, N failed, N skipped` of a vitest JSON report: the closing line that CI reads. */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
const broken = report.testResults.filter(
  (file: { status: string; assertionResults: unknown[] }) =>
    file.status === 'failed' && file.assertionResults.length === 0,
).length;
console.log(`${passed} passed, ${failed + broken} failed, ${skipped} skipped`);
