import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { OpenBuildThreads } from '../index/build-threads.ts';
import {
  buildResources,
  mergeSettings,
  segmentMemory,
  type ThreadKinds,
} from './build-resources.ts';

const opened: number[] = [];
const kinds: ThreadKinds = {
  build: (threads): OpenBuildThreads => {
    opened.push(threads);
    return () => null;
  },
  embed: (open, threads) => {
    opened.push(threads);
    return open;
  },
};
const MIB = 2 ** 20;

describe('the resources of a build', () => {
  it('are all cores and 1 GiB, with threads for tables that are worth them', () => {
    const resources = buildResources({}, kinds);
    expect(resources).toMatchObject({ threads: availableParallelism(), memoryBytes: 1024 * MIB });
    expect(resources.threadsFromRows).toBeGreaterThan(1000);
  });

  it('are those of the request, whatever the size of the table', () => {
    const resources = buildResources({ threads: 3, memory_bytes: 128 * MIB }, kinds);
    expect(resources).toMatchObject({ threads: 3, memoryBytes: 128 * MIB, threadsFromRows: 0 });
    expect(opened.at(-1)).toBe(3);
    resources.embedThreads(async () => Promise.reject(new Error('not opened')));
    expect(opened.at(-1)).toBe(2);
  });

  it('allow segments of all documents of a large table, or of fewer in little memory', () => {
    const docsOf = (mib: number) =>
      mergeSettings(buildResources({ memory_bytes: mib * MIB }, kinds)).maxDocs;
    expect(docsOf(1024)).toBeGreaterThan(6_000_000);
    expect(docsOf(65_536)).toBe(16_777_216);
    expect(docsOf(512)).toBeLessThan(docsOf(1024));
    expect(docsOf(64)).toBeGreaterThan(100_000);
  });

  it('leave room for writing the segment beside its documents', () => {
    const bytesOf = (mib: number, threads = 2) =>
      segmentMemory(buildResources({ threads, memory_bytes: mib * MIB }, kinds));
    for (const mib of [64, 256, 512, 1024, 4096]) {
      expect(bytesOf(mib)).toBeGreaterThanOrEqual(16 * MIB);
      expect(bytesOf(mib)).toBeLessThan((mib * MIB) / 2);
      expect(bytesOf(mib, 8)).toBeLessThanOrEqual(bytesOf(mib));
    }
  });
});
