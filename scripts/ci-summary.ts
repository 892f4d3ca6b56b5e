/**
 * Prints the failed tests of vitest's JSON reports, then `N passed, N failed, N skipped` added up:
 * the closing line that CI reads. A report that is missing counts as one failure.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface TestReport {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestReport[];
}

/** What failed in a file: its tests, or the file itself before or between its tests. */
function failures({ name, status, message, assertionResults }: FileReport): string[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length > 0) {
    return failed.map((test) => `${file}: ${test.fullName}\n  ${test.failureMessages[0]}`);
  }
  return status === 'failed' ? [`${file}\n  ${message}`] : [];
}

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  if (!existsSync(path)) {
    console.log(`FAILED: no report ${path}`);
    sum.failed++;
    continue;
  }
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const failed = report.testResults.flatMap(failures);
  for (const failure of failed) console.log(`FAILED ${failure.slice(0, 1_500)}`);
  sum.passed += report.numPassedTests;
  sum.failed += failed.length;
  sum.skipped += report.numPendingTests;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
