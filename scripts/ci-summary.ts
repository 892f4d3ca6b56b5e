/**
 * Adds up runs of vitest: `ci-summary.ts (NAME REPORT CODE)…`, where REPORT is what
 * `test/support/run-report.ts` wrote and CODE the run's exit code. Prints the failed tests, the
 * files that a run's clock left out, the number of skipped tests, and as the last line
 * `N passed, N failed`. A run that failed without a failed test counts as one failure, unless its
 * clock stopped it. Exits with 1 if anything failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { FileReport, StoppedReport } from '../test/support/run-report.ts';

/** How `timeout` ends when the time is over: by SIGTERM, or by SIGKILL afterwards. */
const TIMED_OUT = ['124', '137'];

/** What a run wrote: its files, and whether its clock stopped it. */
function readReport(path: string) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const all = lines.map((line) => JSON.parse(line) as FileReport | StoppedReport);
  const files = all.filter((one) => 'file' in one);
  return { files, stopped: all.findLast((one) => 'stopped' in one) };
}

function failuresOf({ files, stopped }: ReturnType<typeof readReport>, name: string, code: string) {
  const failures = files.flatMap((file) => file.failures);
  if (stopped !== undefined) return failures;
  if (TIMED_OUT.includes(code)) return [...failures, `${name}: stopped at its time limit`];
  if (files.length === 0) return [`${name}: ended with exit code ${code} without a result`];
  if (code === '0' || failures.length > 0) return failures;
  return [`${name}: ended with exit code ${code}, although no test failed`];
}

const sum = { passed: 0, failed: 0, skipped: 0 };
const args = process.argv.slice(2);
for (let i = 0; i < args.length; i += 3) {
  const [name, report, code] = args.slice(i, i + 3);
  const run = readReport(report);
  const failures = failuresOf(run, name, code);
  for (const failure of failures) console.log(`FAILED ${failure.slice(0, 1_500)}`);
  if (run.stopped !== undefined) {
    const { stopped, left } = run.stopped;
    console.log(
      `${name}: ended after ${stopped} s, without ${left.length} files: ${left.join(' ')}`,
    );
  }
  sum.failed += failures.length;
  for (const { passed, skipped } of run.files) {
    sum.passed += passed;
    sum.skipped += skipped;
  }
}
console.log(`${sum.skipped} skipped`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;
