/**
 * Adds up runs of vitest: `ci-summary.ts (NAME REPORT CODE)…`, where REPORT is what
 * `test/support/run-report.ts` wrote and CODE the run's exit code. Prints the failed tests, the
 * number of skipped ones, and as the last line `N passed, N failed`. A run that failed without a
 * failed test counts as one failure. Exits with 1 if anything failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { FileReport } from '../test/support/run-report.ts';

/** How `timeout` ends when the time is over: by SIGTERM, or by SIGKILL afterwards. */
const TIMED_OUT = ['124', '137'];

function filesOf(report: string): FileReport[] {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as FileReport);
}

function failuresOf(files: readonly FileReport[], name: string, code: string): string[] {
  const failures = files.flatMap((file) => file.failures);
  if (TIMED_OUT.includes(code)) return [...failures, `${name}: stopped at its time limit`];
  if (files.length === 0) return [`${name}: ended with exit code ${code} without a result`];
  if (code === '0' || failures.length > 0) return failures;
  return [`${name}: ended with exit code ${code}, although no test failed`];
}

const sum = { passed: 0, failed: 0, skipped: 0 };
const args = process.argv.slice(2);
for (let i = 0; i < args.length; i += 3) {
  const [name, report, code] = args.slice(i, i + 3);
  const files = filesOf(report);
  const failures = failuresOf(files, name, code);
  for (const failure of failures) console.log(`FAILED ${failure.slice(0, 1_500)}`);
  sum.failed += failures.length;
  for (const { passed, skipped } of files) {
    sum.passed += passed;
    sum.skipped += skipped;
  }
}
console.log(`${sum.skipped} skipped`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;
