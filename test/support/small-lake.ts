import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@lakehouse-search/contract';
import { grouped, OPERATIONS } from '@lakehouse-search/contract/internal';
import type { EngineOptions } from '@lakehouse-search/engine/internal';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import {
  appendRows,
  type CatalogConfig,
  createTable,
  openTable,
  type Schema,
  type SourceTable,
} from '@lakehouse-search/lake';
import { expect } from 'vitest';
import { openSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import { currentGeneration, indexFolder } from '../../packages/engine/src/open/index-folder.ts';
import { Registry } from '../../packages/engine/src/registry/registry.ts';
import { openLocalDirectory } from '../../packages/engine/src/storage/local-directory.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/**
 * A table of our own writer in a folder that goes away, and an engine with an index `t` over it.
 */
export interface SmallLake {
  readonly folder: string;
  readonly backend: LocalEngine;
  /** The same engine as programs call it. */
  readonly library: Backend;
  readonly source: { readonly catalog: CatalogConfig; readonly table: string };
  create(schema: Schema, options?: { formatVersion?: 1 | 2 | 3; rows?: Rows }): Promise<void>;
  /** Makes the index; `ref`: the branch that it follows. */
  define(lines: string, ref?: string): Promise<void>;
  append(rows: Rows): Promise<unknown>;
  /** Makes the index, and builds it. */
  build(lines: string): Promise<void>;
  table(): Promise<SourceTable>;
  /** The table's current snapshot. */
  head(): Promise<bigint>;
  /** All documents: key -> fields. */
  documents(): Promise<ReadonlyMap<string, unknown>>;
  /** Keys and row hashes of the live documents. */
  hashes(): ReadonlyMap<string, bigint>;
  /** Throws unless the index, documents and hashes, is what a build of `asOf` gives. */
  expectRebuilt(asOf?: bigint): Promise<void>;
  close(): Promise<void>;
}

/** Opens a lake in a new folder. */
export async function openSmallLake(options?: EngineOptions): Promise<SmallLake> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-small-lake-'));
  const dataDir = join(folder, 'data');
  const backend = await openEngine(dataDir, { create: true, threads: 0, ...options });
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'a.t' };
  const lake: SmallLake = {
    folder,
    backend,
    library: grouped(backend, OPERATIONS),
    source,
    async create(schema, { rows, ...format } = {}) {
      await createTable(catalog, source.table, { schema, ...format });
      if (rows !== undefined) await lake.append(rows);
    },
    async define(lines, ref) {
      const at = `catalog: ${JSON.stringify(catalog)}, table: a.t`;
      const more = ref === undefined ? '' : `, ref: ${ref}`;
      const definition = `version: 1\nindex: t\nsource: { ${at}${more} }\n${lines}\n`;
      await backend.createIndex({ definition, base_dir: folder });
    },
    append: (rows) => appendRows(source, { kind: 'rows', rows }),
    async build(lines) {
      await lake.define(lines);
      await backend.reindex({ index: 't' });
    },
    table: () => openTable(source),
    async head() {
      const table = await openTable(source);
      const id = table.currentSnapshotId;
      await table.close();
      return id!;
    },
    async documents() {
      const all = await Array.fromAsync(backend.exportDocuments({ index: 't' }));
      return new Map(all.map(({ coordinates, fields }) => [JSON.stringify(coordinates), fields]));
    },
    hashes: () => hashesOf(dataDir),
    async expectRebuilt(asOf) {
      const documents = await lake.documents();
      const hashes = lake.hashes();
      await backend.reindex({ index: 't', ...(asOf === undefined ? {} : { as_of: String(asOf) }) });
      expect(documents).toEqual(await lake.documents());
      expect(hashes).toEqual(lake.hashes());
    },
    async close() {
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return lake;
}

function hashesOf(dataDir: string): ReadonlyMap<string, bigint> {
  const registry = new Registry(dataDir);
  const folder = indexFolder(dataDir, registry.get('t').uuid);
  registry.close();
  const snapshot = openSnapshot(openLocalDirectory(currentGeneration(folder)!.path));
  const hashes = new Map<string, bigint>();
  for (const { keys, rowHashes, docs, deleted } of snapshot.segments) {
    for (let doc = 0; doc < docs; doc++) {
      if (deleted !== null && (deleted[doc >> 5] & (1 << (doc & 31))) !== 0) continue;
      hashes.set(Buffer.from(keys.key(doc)).toString('latin1'), rowHashes[doc]);
    }
  }
  snapshot.release();
  return hashes;
}
