import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '@lakehouse-search/contract';
import type { FilePart, ScanOptions, Schema, SourceTable } from '@lakehouse-search/lake';
import type { OpenEmbedder } from '../../embed/embedder.ts';
import { type IndexSnapshot, openSnapshot } from '../../index/index-snapshot.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { makeFolder } from '../../storage/make-folder.ts';
import { rebuildIndex } from './rebuild.ts';

/** What a scratch index is built from. */
export interface ScratchRequest extends CallContext {
  readonly mapping: Mapping;
  readonly table: SourceTable;
  readonly snapshotId: bigint | null;
  readonly baseDir: string;
  readonly openEmbedder: OpenEmbedder;
}

/** An index in a temporary folder of this machine, open; `close` removes it. */
export interface ScratchIndex {
  readonly snapshot: IndexSnapshot;
  readonly buildMs: number;
  close(): void;
}

/**
 * Builds an index that nobody else sees, without the embedding cache of another. Throws as
 * `rebuildIndex`; then the folder is gone.
 */
export async function buildScratch({
  mapping,
  table,
  snapshotId,
  baseDir,
  openEmbedder,
  signal,
  progress,
}: ScratchRequest): Promise<ScratchIndex> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'lhs-scratch-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const segments = join(folder, 'segments');
    makeFolder(segments);
    const directory = openLocalDirectory(segments);
    const models = { index: mapping.definition.index, folder, baseDir, openEmbedder };
    const what = { table, mapping, directory, generation: 1, snapshotId, definitionVersion: 1 };
    await rebuildIndex({ ...what, models, signal, progress });
    const snapshot = openSnapshot(directory);
    const buildMs = Math.round(performance.now() - started);
    const close = () => {
      snapshot.release();
      remove();
    };
    return { snapshot, buildMs, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A table whose scans read these parts of its data files alone, under `schema`. */
export function restrictedTable(
  table: SourceTable,
  parts: readonly FilePart[],
  schema: Schema = table.schema,
): SourceTable {
  const scan = ({ columns = [], signal }: ScanOptions = {}) =>
    table.read(parts, { columns, schema, ...(signal && { signal }) });
  return new Proxy(table, {
    get(target, property) {
      if (property === 'scan') return scan;
      if (property === 'schema') return schema;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
