/**
 * The thread of one self check: its data is a `CheckJob`, its one message a `CheckAnswer`. It opens
 * the files of the commit that it is given; where some are gone already it says so.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LhsError } from '../base/errors.ts';
import { openSegments } from '../index/index-snapshot.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { Verification } from '../storage/verification.ts';
import { checkStructures } from './verify-structures.ts';
import type { CheckAnswer, CheckJob } from './verify-thread.ts';

function check({ path, commit }: CheckJob): CheckAnswer {
  const directory = openLocalDirectory(path);
  try {
    const segments = openSegments(directory, commit, new Verification(directory));
    return { kind: 'checked', problems: checkStructures(segments, commit.files.length) };
  } catch (error) {
    if (error instanceof LhsError) return { kind: 'unopened' };
    throw error;
  }
}

parentPort?.postMessage(check(workerData as CheckJob));
