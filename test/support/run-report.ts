import { appendFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
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

/** Written when the clock of a run stops it, and again at the end of the run. */
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
  /** The paths of the files that have not ended. */
  const left = new Map<string, string>();
  let vitest: Vitest;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const noteStop = () => append({ stopped: seconds, left: [...left.values()] });
  const stop = () => {
    isStopped = true;
    noteStop();
    void vitest.cancelCurrentRun('keyboard-input');
  };
  return {
    onInit(context) {
      vitest = context;
    },
    onTestRunStart(specifications) {
      for (const one of specifications) left.set(keyOf(one), relative('', one.moduleId));
      if (Number.isFinite(seconds)) timer = setTimeout(stop, seconds * 1000);
    },
    onTestModuleEnd(module) {
      const one = reportOf(module, isStopped);
      if (!isStopped || isWhole(module, one)) left.delete(keyOf(module));
      append(one);
    },
    onTestRunEnd() {
      clearTimeout(timer);
      if (isStopped) noteStop();
    },
  };
}

const isWhole = (module: TestModule, { skipped }: FileReport): boolean =>
  skipped === 0 && module.ok();

/** A file is run once in each project that has it. */
const keyOf = ({ project, moduleId }: Pick<TestModule, 'project' | 'moduleId'>): string =>
  `${project.name} ${moduleId}`;

/**
 * Tests of a stopped run that did not begin count as skipped. What fails from then on may fail
 * because of the stop: its file is one of those that were not run to their end.
 */
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
  return { file, passed, skipped, failures: isStopped ? [] : messages };
}
