import { appendFileSync, rmSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** What a test file gave: one line of JSON of a run's report. */
export interface FileReport {
  /** The file's path, relative to the repository. */
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** Name and message of each failed test, and errors of the file outside its tests. */
  readonly failures: readonly string[];
}

/** Appends the result of each test file as it ends, so that a run that is stopped has a report. */
export function runReporter(path: string): Reporter {
  rmSync(path, { force: true });
  return {
    onTestModuleEnd(module) {
      appendFileSync(path, `${JSON.stringify(reportOf(module))}\n`);
    },
  };
}

function reportOf(module: TestModule): FileReport {
  const file = module.relativeModuleId;
  const messages = module.errors().map(({ message }) => `${file}\n  ${message}`);
  for (const suite of module.children.allSuites()) {
    for (const { message } of suite.errors())
      messages.push(`${file}: ${suite.fullName}\n  ${message}`);
  }
  let passed = 0;
  let skipped = 0;
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') passed++;
    else if (state === 'skipped') skipped++;
    else messages.push(`${file}: ${test.fullName}\n  ${errors?.[0]?.message ?? 'did not end'}`);
  }
  return { file, passed, skipped, failures: messages };
}
