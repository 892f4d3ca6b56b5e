import type { Coordinates } from '@lakehouse-search/engine';
import { beforeEach, expect } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { currentGeneration, indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import type { SegmentEntry } from '../../src/segment/entry.ts';
import type { Directory } from '../../src/storage/directory.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { type StoreLake, storeLakes } from '../home/store-lake.ts';

const WORDS = ['night', 'day', 'train', 'bus', 'note', 'late'];
const SCHEMA = schemaOf({
  ...{ id: 'string', title: 'string', org: 'string', size: 'long', at: 'timestamptz' },
});
export const openEmbedder = tinyModels().open;

const rowOf = (n: number, turn = 0) => ({
  id: `k${n}`,
  title: [0, 1, 2, 3, 4].map((i) => WORDS[(n * (i + 3) + i * i + turn) % 6]).join(' '),
  org: `org ${n % 5}`,
  size: n % 37,
  at: new Date(Date.UTC(2025, 0, 1) + n * 86_400_000).toISOString(),
});
/** Rows of a table with days of 2025; another `turn` has other titles. */
export const rows = (from: number, to: number, turn = 0) =>
  Array.from({ length: to - from }, (_, i) => rowOf(from + i, turn));
/** The key of a row. */
export const keyOf = (n: number): Coordinates => ({
  identifier: [{ name: 'id', value: `k${n}` }],
});

/** An index `t` whose segments several shards share, and one of the same rows that was built so. */
export interface SharedIndexes {
  readonly store: StoreLake;
  /** The live generation of `t`. */
  directory(): Directory;
  /** Its segments that several shards share. */
  shared(): readonly SegmentEntry[];
  /** Makes `t`: one shard, three, a sync, two; `old` may change its files before. */
  share(more?: string, old?: () => Promise<void>): Promise<void>;
  /** Makes `right`, with two shards from the beginning. */
  build(more?: string): Promise<void>;
}

/** Gives each test of the calling file a table of 90 rows, to which `share` appends 30. */
export function sharedIndexes(): SharedIndexes {
  const store = storeLakes({ openEmbedder });
  beforeEach(async () => {
    await store.lake.create(SCHEMA, { formatVersion: 2, rows: rows(0, 60) });
    await store.lake.append(rows(60, 90));
  });
  const make = async (index: string, more: string): Promise<void> => {
    await store.lake.backend.createIndex({ definition: definitionOf(store, index, more) });
    await store.lake.backend.reindex({ index });
  };
  const directory = () => liveOf(store.lake.backend.dataDir);
  const shared = () => readCommit(directory())!.segments.filter(({ parts }) => parts !== undefined);
  return {
    ...{ store, directory, shared },
    async share(more = '', old = async () => {}) {
      const { backend } = store.lake;
      await make('t', more);
      await old();
      await backend.applyReshard({ index: 't', shards: 3 });
      await store.lake.append(rows(90, 120));
      await backend.sync({ index: 't' });
      await backend.applyReshard({ index: 't', shards: 2 });
      expect(shared().length).toBeGreaterThan(0);
    },
    build: (more = '') => make('right', `sharding: { shards: 2 }\n${more}`),
  };
}

const definitionOf = ({ lake }: StoreLake, index: string, more: string): string => `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }
${more}
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, fast: true }
  - { name: at, type: DATE }
  - { name: near, type: VECTOR, source: title, model: ${lake.folder}, dims: 8, index: hnsw }
`;

function liveOf(dataDir: string): Directory {
  const registry = new Registry(dataDir);
  const { path } = currentGeneration(indexFolder(dataDir, registry.get('t').uuid))!;
  registry.close();
  return openLocalDirectory(path);
}
