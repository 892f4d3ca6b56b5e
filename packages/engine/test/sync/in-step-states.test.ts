// @module-tag campaign
// @module-tag slow
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable, type Schema } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import { expireSnapshots } from '../../../../test/support/maintenance/index.ts';
import { hasShared, shared, tablePath, truthOf } from '../../../../test/support/shared-tables.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { expectSnapshot } from './in-step/expect-snapshot.ts';
import { goesByStates, metadataFiles } from './in-step/states.ts';
import { openTruthTable, type TruthTable } from './in-step/truth-table.ts';

let folder = '';
let backend: LocalEngine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-states-'));
  backend = await openEngine(join(folder, 'data'), {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
  });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A copy of a table that can be moved from state to state, or written to. */
class Copy {
  readonly config: { catalog: { type: 'filesystem'; warehouse: string }; table: string };
  readonly #name: string;
  readonly #path: string;

  constructor(name: string) {
    const warehouse = join(folder, 'lake');
    this.#name = name;
    this.#path = join(warehouse, 'ops', name);
    this.config = { catalog: { type: 'filesystem', warehouse }, table: `ops.${name}` };
    cpSync(tablePath(name), this.#path, { recursive: true });
  }

  /** The index over the copy instead of over the table itself. */
  definition({ definition }: TruthTable): string {
    return definition.replace(JSON.stringify(tablePath(this.#name)), JSON.stringify(this.#path));
  }

  /** The schema of the first state: the definition names columns as it does. */
  async firstSchema(): Promise<Schema> {
    this.putState(statesOf(this.#name)[0].upTo);
    const table = await openTable({ path: this.#path });
    await table.close();
    return table.schema;
  }

  /** The table as it was when `files` were all its metadata files. */
  putState(files: readonly string[]): void {
    const metadata = join(this.#path, 'metadata');
    for (const file of metadataFiles(this.#name)) rmSync(join(metadata, file), { force: true });
    mkdirSync(metadata, { recursive: true });
    for (const file of files) {
      copyFileSync(join(tablePath(this.#name), 'metadata', file), join(metadata, file));
    }
    const version = /^v(\d+)/.exec(files.at(-1)!)?.[1];
    if (version !== undefined) writeFileSync(join(metadata, 'version-hint.text'), version);
  }
}

/** The current snapshot that a metadata file names, as text: it may be beyond 2^53. */
function currentOf(name: string, file: string): string {
  const text = readFileSync(join(tablePath(name), 'metadata', file), 'utf8');
  return /"current-snapshot-id"\s*:\s*(-?\d+)/.exec(text)?.[1] ?? '-1';
}

/** The states of a table whose current snapshot the truth knows, oldest first. */
function statesOf(name: string) {
  const files = metadataFiles(name);
  const known = new Set(truthOf(name).snapshots.map((s) => s.snapshot_id));
  return files
    .map((file, i) => ({ id: currentOf(name, file), upTo: files.slice(0, i + 1) }))
    .filter(({ id }) => known.has(id));
}

const tables = hasShared
  ? readdirSync(`${shared}iceberg`).filter((name) => existsSync(`${tablePath(name)}/truth.json`))
  : [];
const small = tables.filter((name) => !['git.commits', 'formats_mixed'].includes(name));
/** In a brief run, a quarter of the tables that `in-step` does not follow. */
const followed = everyNth(
  small.filter(
    (name, i) => metadataFiles(name).length > 2 && byEffort(goesByStates(name, i), true),
  ),
  byEffort(4, 1),
  seedOfDay(),
);
const hadoop = everyNth(
  small.filter(
    (name) =>
      existsSync(join(tablePath(name), 'metadata', 'version-hint.text')) &&
      truthOf(name).snapshots.length > 1,
  ),
  byEffort(6, 1),
  seedOfDay(),
);

describe.skipIf(!hasShared)('syncs of foreign tables through their states', () => {
  it.each(followed)('%s: the table moves from state to state, the index after it', async (name) => {
    const copy = new Copy(name);
    const table = await openTruthTable(name, {
      namedAs: await copy.firstSchema(),
      withMeaning: true,
    });
    try {
      const states = statesOf(name);
      let built = false;
      for (const { id, upTo } of states) {
        copy.putState(upTo);
        if (!built)
          await backend.createIndex({ definition: copy.definition(table), base_dir: '/' });
        const done = built ? await backend.sync({}) : await backend.reindex({});
        built = true;
        expect(done).toMatchObject({ snapshot: id, doc_count: table.snapshot(id).row_count });
        await expectSnapshot(backend, table, id);
      }
    } finally {
      await table.source.close();
    }
  });

  it.each(hadoop)('%s: the checkpoint’s snapshot expires, the index heals', async (name) => {
    const table = await openTruthTable(name, { withMeaning: true });
    const copy = new Copy(name);
    try {
      const refs = new Set(table.source.refs.map(({ snapshotId }) => String(snapshotId)));
      const head = table.truth.current_snapshot_id;
      const first = table.truth.snapshots.find(
        ({ snapshot_id }) => snapshot_id !== head && !refs.has(snapshot_id),
      )!.snapshot_id;
      await backend.createIndex({ definition: copy.definition(table), base_dir: '/' });
      await backend.reindex({ as_of: first });
      const gone = await expireSnapshots(copy.config, Date.now() + 1000, { deleteFiles: true });
      expect(gone.map(String)).toContain(first);
      const counts = await table.change(first, head);
      expect(await backend.sync({})).toMatchObject({
        snapshot: head,
        snapshots_applied: 1,
        ...counts,
        healed: { reason: 'snapshot_expired', ...counts },
      });
      await expectSnapshot(backend, table, head);
      const left = await openTable(copy.config);
      await left.close();
      expect(left.snapshots.map(({ id }) => id)).not.toContain(BigInt(first));
    } finally {
      await table.source.close();
    }
  });
});
