/**
 * The thread of one self check: its data is a `CheckJob`, its one message a `CheckAnswer`. It opens
 * the files of the commit that it is given, few at a time; where some are gone already it says so.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { checkGroups, checkSegment } from '../segment/check.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { Verification } from '../storage/verification.ts';
import type { CheckAnswer, CheckJob } from './thread.ts';

function check({ path, segments, files, ...layout }: CheckJob): CheckAnswer {
  const directory = openLocalDirectory(path);
  const verification = new Verification(directory);
  try {
    const problems: string[] = [];
    for (const entry of segments) {
      for (const components of checkGroups(entry)) {
        const reader = SegmentReader.open(directory, { ...entry, components }, verification);
        problems.push(...checkSegment(reader, files, { part: true, ...layout }));
        reader.release();
      }
    }
    return { kind: 'checked', problems };
  } catch (error) {
    if (error instanceof LhsError) return { kind: 'unopened' };
    throw error;
  }
}

parentPort?.postMessage(check(workerData as CheckJob));
