import { availableParallelism } from 'node:os';
import { limitMemory, usableMemory } from '@lakehouse-search/lake/internal';
import { describe, expect, it } from 'vitest';
import type { OpenBuildThreads } from '../../index/build-threads.ts';
import { BACKGROUND_SETTINGS } from '../../index/merges/merge-policy.ts';
import {
  backgroundSettings,
  buildResources,
  compactionSettings,
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
  it('are 1 GiB and all cores that fit it, with threads for tables that are worth them', () => {
    const resources = buildResources({}, kinds);
    const threads = Math.min(availableParallelism(), 13);
    expect(resources).toMatchObject({ threads, memoryBytes: 1024 * MIB });
    expect(resources.threadsFromRows).toBeGreaterThan(1000);
  });

  it('are those of the request, whatever the size of the table', () => {
    const resources = buildResources({ threads: 3, memory_bytes: 512 * MIB }, kinds);
    expect(resources).toMatchObject({ threads: 3, memoryBytes: 512 * MIB, threadsFromRows: 0 });
    expect(opened.at(-1)).toBe(3);
    resources.embedThreads(async () => Promise.reject(new Error('not opened')));
    expect(opened.at(-1)).toBe(2);
  });

  it('allow segments of all documents of a large table, or of fewer in little memory', () => {
    const docsOf = (mib: number) =>
      mergeSettings(buildResources({ memory_bytes: mib * MIB }, kinds)).maxDocs;
    expect(docsOf(1024)).toBeGreaterThan(6_000_000);
    expect(docsOf(4096)).toBe(16_777_216);
    expect(docsOf(512)).toBeLessThan(docsOf(1024));
    expect(docsOf(224)).toBeGreaterThan(100_000);
  });

  it('leave room for writing the segment beside its documents', () => {
    const bytesOf = (mib: number, threads = 2) =>
      segmentMemory(buildResources({ threads, memory_bytes: mib * MIB }, kinds));
    for (const mib of [320, 512, 1024, 4096]) {
      expect(bytesOf(mib)).toBeGreaterThanOrEqual(16 * MIB);
      expect(bytesOf(mib)).toBeLessThan((mib * MIB) / 2);
    }
    expect(bytesOf(1024, 8)).toBeLessThan(bytesOf(1024));
  });

  it('use fewer threads than cores if the memory is not enough for all', () => {
    expect(buildResources({ memory_bytes: 224 * MIB }, kinds).threads).toBe(1);
  });

  it('are refused by name if they do not fit', () => {
    const refused = (request: Parameters<typeof buildResources>[0], room?: number) => {
      return () => buildResources(request, kinds, room);
    };
    expect(refused({}, 150 * MIB)).toThrow(
      'a build needs 224 MiB of memory, and may use 150 MiB here',
    );
    expect(refused({}, 0)).toThrow('may use 0 MiB');
    expect(refused({ memory_bytes: 512 * MIB }, 400 * MIB)).toThrow('needs 512 MiB');
    expect(refused({ threads: 4, memory_bytes: 224 * MIB })).toThrow(
      'needs 416 MiB of memory, not',
    );
    expect(refused({ threads: 4 }, 300 * MIB)).toThrow('needs 416 MiB of memory, and may');
  });
});

describe('the limits of merges', () => {
  it('are those of a large machine, or follow the memory of the process', () => {
    const free = limitMemory(256 * MIB);
    const [beside, compaction] = [backgroundSettings(), compactionSettings()];
    free();
    // a merge takes about three times the size of its segment
    expect(beside.maxBytes * 3).toBeLessThan(100 * MIB);
    expect(beside.maxDocs * 120).toBeLessThan(100 * MIB);
    expect(compaction.maxBytes * 3).toBeLessThan(256 * MIB);
    expect(beside).not.toEqual(BACKGROUND_SETTINGS);
    const most = { maxBytes: 512 * MIB, maxDocs: 4_194_304 };
    if (usableMemory() >= 4096 * MIB) expect(backgroundSettings()).toMatchObject(most);
  });
});
