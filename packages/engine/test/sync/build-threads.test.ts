// @module-tag campaign
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Progress } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, type Value } from '@lakehouse-search/lake';
import { afterEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { TINY_DIMS, tinyModels } from '../../../../test/support/tiny-model.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { contentDigest } from '../../src/index/commits/content-digest.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import type { SegmentEntry } from '../../src/segment/entry.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { ShareThread } from '../../src/workers/build-thread.ts';

const schema = schemaOf({
  id: 'long',
  title: 'string',
  body: 'string',
  size: 'long',
  part: 'double',
  at: 'timestamptz',
  done: 'boolean',
  ip: 'string',
});
const FIELDS = `fields:
  - { name: words, type: TEXT, source: [title, body], analyzer: simple }
  - { name: body, type: TEXT, analyzer: chopped }
  - { name: title, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG }
  - { name: part, type: DOUBLE, cached: true }
  - { name: at, type: DATE }
  - { name: done, type: BOOL }
  - { name: ip, type: IP }
  - { name: meaning, type: VECTOR, source: title, dims: ${TINY_DIMS}, model: tiny }
analyzers:
  - { name: chopped, tokenizer: whitespace, filters: [lowercase] }
`;
const FILE_ROWS = 700;
const FILES = 3;
const SEED = 20_261_122;

const MODELS = { openEmbedder: tinyModels().open };

let lakes: SmallLake[] = [];
let below = seededBelow(SEED);
afterEach(async () => {
  for (const lake of lakes) await lake.close();
  lakes = [];
});

const maybe = <T extends Value>(value: T): T | null => (below(8) === 0 ? null : value);
const text = (words: number) =>
  Array.from({ length: below(words) }, () => `w${below(400)}`).join(' ');
const row = (id: number) => ({
  id: BigInt(id),
  title: maybe(text(5)),
  body: maybe(text(30)),
  size: maybe(BigInt(below(100))),
  part: maybe(below(1000) / 7),
  at: maybe(new Date(below(1e9) * 1000).toISOString()),
  done: maybe(below(2) === 0),
  ip: maybe(`10.0.${below(256)}.${below(256)}`),
});

async function makeLake(definition: string, memoryBytes?: number): Promise<SmallLake> {
  const lake = await openSmallLake({
    ...MODELS,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  });
  lakes.push(lake);
  await lake.create(schema);
  await lake.define(definition);
  return lake;
}

async function fill(lake: SmallLake, from = 0): Promise<void> {
  for (let file = 0; file < FILES; file++) {
    const first = from + file * FILE_ROWS;
    const rows = Array.from({ length: FILE_ROWS }, (_, i) => row(first + i));
    await lake.append(rows);
  }
  await deleteRows(lake.source, `id % 11 = 3`);
}

const generationOf = (lake: SmallLake): string => {
  const registry = new Registry(join(lake.folder, 'data'));
  const folder = indexFolder(join(lake.folder, 'data'), registry.get('t').uuid);
  registry.close();
  return currentGeneration(folder)!.path;
};

const byShard = (a: SegmentEntry, b: SegmentEntry) => (a.shard ?? 0) - (b.shard ?? 0);

/** All that an index contains, and the checksums of its components, by shard. */
async function contentOf(lake: SmallLake) {
  const directory = openLocalDirectory(generationOf(lake));
  const snapshot = openSnapshot(directory);
  const { digest } = contentDigest(snapshot);
  snapshot.release();
  const segments = readCommit(directory)!.segments.toSorted(byShard);
  const hashed = segments.map((segment) => segment.hashed);
  const components = segments.map((segment) =>
    segment.components.map(({ kind, field, length, crc }) => ({ kind, field, length, crc })),
  );
  const documents = (await lake.documents()).entries().toArray().sort();
  return { digest, components, hashed, documents };
}

const files = (lake: SmallLake) =>
  readdirSync(join(lake.folder, 'data', 'indexes'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('embeddings'))
    .sort();

describe('an index that several threads build', () => {
  for (const shards of byEffort([3], [1, 3])) {
    it(`has the bytes of one thread's, in few or many flushes (${shards} shards)`, async () => {
      below = seededBelow(SEED + shards);
      const definition = `sharding: { shards: ${shards} }\n${FIELDS}`;
      const lake = await makeLake(definition);
      await fill(lake);
      await lake.backend.reindex({ index: 't', threads: 1 });
      const expected = await contentOf(lake);
      expect(expected.documents.length).toBeGreaterThan(FILES * FILE_ROWS * 0.9);
      const small = await openEngine(join(lake.folder, 'data'), {
        create: true,
        threads: 0,
        ...MODELS,
        memoryBytes: 150_000,
      });
      for (const backend of [lake.backend, small]) {
        for (const threads of byEffort([3], [1, 2, 3])) {
          const memory_bytes = threads === 2 ? 384 * 2 ** 20 : 2 ** 30;
          await backend.reindex({ index: 't', threads, memory_bytes });
          expect(await contentOf(lake)).toEqual(expected);
        }
      }
      await small.close();
    });
  }
});

const WORDS = 'fields:\n  - { name: title, type: TEXT }\n  - { name: body, type: TEXT }\n';
const THREADS = { index: 't', threads: 3 };

describe('a build by several threads', () => {
  it('that is canceled while threads write segments leaves nothing', async () => {
    const lake = await makeLake(FIELDS, 100_000);
    await fill(lake);
    await lake.backend.reindex(THREADS);
    const before = files(lake);
    for (const stopAt of [1, 2, 3]) {
      const stop = new AbortController();
      let reports = 0;
      const progress = ({ phase }: Progress) => {
        if (phase === 'reading' && ++reports === stopAt) stop.abort();
      };
      const canceled = lake.backend.reindex(THREADS, { signal: stop.signal, progress });
      await expect(canceled).rejects.toMatchObject({ code: 'interrupted' });
      expect(files(lake)).toEqual(before);
    }
  });

  it('names both rows of a key that is in two files', async () => {
    const lake = await makeLake(WORDS);
    await lake.append([row(1), row(2)]);
    await lake.append([row(3), row(2)]);
    await expect(lake.backend.reindex(THREADS)).rejects.toMatchObject({
      code: 'source_invalid',
      message: expect.stringMatching(/key id=2 stands in two rows: row 1 of .* and row 1 of /),
    });
  });

  it('names the file of the disk that is full', async () => {
    const thread = new ShareThread(
      new URL('../../src/workers/build-worker.ts', import.meta.url),
      {
        path: join(tmpdir(), 'lhs-no-such-folder'),
        ...{ plans: [], analyzers: [], share: { fields: [], rows: true } },
      },
      1,
    );
    await expect(thread.finish('0', 's000001')).rejects.toMatchObject({
      message: expect.stringContaining('lhs-no-such-folder/s000001'),
    });
    await thread.close();
  });
});

const block = {
  docs: 1,
  keyOffsets: Int32Array.of(0, 1),
  keyBytes: Uint8Array.of(1),
  files: Int32Array.of(0),
  positions: Int32Array.of(0),
  hashes: BigUint64Array.of(1n),
  fields: new Map(),
};

/** A thread with a program of its own. */
async function withProgram(program: string, work: (thread: ShareThread) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-build-thread-'));
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `import { parentPort } from 'node:worker_threads';\n${program}`);
  const share = { fields: [], rows: true };
  const settings = { path: folder, plans: [], analyzers: [], share };
  const thread = new ShareThread(pathToFileURL(file), settings, 40);
  try {
    await work(thread);
  } finally {
    await thread.close();
    rmSync(folder, { recursive: true });
  }
}

describe('a build thread', () => {
  it('that ends in the middle fails what waits for it, and all that comes later', async () => {
    const dies = "parentPort.on('message', () => process.exit(1));";
    await withProgram(dies, async (thread) => {
      thread.add('0', block);
      thread.add('0', block);
      const failed = { code: 'internal', message: 'a build thread failed: it ended' };
      await expect(thread.ready()).rejects.toMatchObject(failed);
      await expect(thread.ready()).rejects.toMatchObject(failed);
      await expect(thread.finish('0', 's000001')).rejects.toMatchObject(failed);
    });
  });

  it('that runs out of memory fails the build with the reason', async () => {
    const grows = 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length));';
    await withProgram(grows, async (thread) => {
      await expect(thread.finish('0', 's000001')).rejects.toMatchObject({
        code: 'internal',
        message: expect.stringMatching(/^a build thread failed: .*memory/),
      });
    });
  });

  it('takes documents until more than its limit are on their way', async () => {
    const counts = `let held = 0;
      parentPort.on('message', ({ bytes }) => {
        held += bytes;
        parentPort.postMessage({ kind: 'added', bytes, held });
      });`;
    await withProgram(counts, async (thread) => {
      thread.add('0', block);
      expect(thread.ready()).toBeNull();
      const { bytes } = thread;
      thread.add('0', block);
      await thread.ready();
      expect(thread.bytes).toBeGreaterThanOrEqual(2 * bytes);
      expect(thread.ready()).toBeNull();
    });
  });
});
