import { appendFileSync, rmSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** What a test file gave: one line of JSON of a run's report. */
export interface FileReport {
  /** The file's path, relative to the repository. */
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** Name and message of each failed test, and errors of the file outside its tests. */
  readonly failures: readonly string[];
}

/** The last line of the report of a run that its clock stopped. */
export interface StoppedReport {
  /** How many seconds the run was given. */
  readonly stopped: number;
  /** The test files that were not run, or not to their end. */
  readonly left: readonly string[];
}

/**
 * Appends the result of each test file as it ends, so that a run that is killed has a report. After
 * `seconds` no other test begins; the tests that run then end as they would.
 */
export function runReporter(path: string, seconds = Number.POSITIVE_INFINITY): Reporter {
  rmSync(path, { force: true });
  const append = (line: FileReport | StoppedReport) =>
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  const ended = new Set<TestModule>();
  let vitest: Vitest;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    void vitest.cancelCurrentRun('keyboard-input');
  };
  return {
    onInit(context) {
      vitest = context;
    },
    onTestRunStart() {
      if (Number.isFinite(seconds)) timer = setTimeout(stop, seconds * 1000);
    },
    onTestModuleEnd(module) {
      const one = reportOf(module, isStopped);
      if (!isStopped || one.skipped === 0) ended.add(module);
      append(one);
    },
    onTestRunEnd(modules) {
      clearTimeout(timer);
      const left = modules.filter((module) => !ended.has(module));
      if (isStopped) {
        append({ stopped: seconds, left: left.map(({ relativeModuleId }) => relativeModuleId) });
      }
    },
  };
}

/** Tests of a stopped run that did not begin count as skipped. */
function reportOf(module: TestModule, isStopped: boolean): FileReport {
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
    else if (state === 'skipped' || (state === 'pending' && isStopped)) skipped++;
    else messages.push(`${file}: ${test.fullName}\n  ${errors?.[0]?.message ?? 'did not end'}`);
  }
  return { file, passed, skipped, failures: messages };
}
