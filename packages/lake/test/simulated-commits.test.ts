// @module-tag campaign
/** Commits of several writers to a table whose store delays, fails, and loses answers. */
import { describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../test/support/effort.ts';
import { type SimulatedObjects, SimulatedStore } from '../../../test/support/simulated-store.ts';
import {
  NO_FAULTS,
  type SimulatedProcess,
  Simulation,
  someFaults,
} from '../../../test/support/simulation.ts';
import type { FileStore } from '../src/base/files/file-store.ts';
import { formatJson } from '../src/base/json.ts';
import { createFilesystemTable, loadFilesystemTable } from '../src/catalog/filesystem.ts';
import { isOutcomeUnknown, type TableHandle } from '../src/catalog/table-handle.ts';
import { readManifest } from '../src/metadata/manifest.ts';
import { readManifestList } from '../src/metadata/manifest-list.ts';
import { CopyCache } from '../src/objects/copy-cache.ts';
import { ObjectFiles } from '../src/objects/object-files.ts';
import type { Schema } from '../src/schema/type.ts';
import { commitTable, discard } from '../src/write/commit/commit.ts';
import { newTableMetadata } from '../src/write/commit/next-metadata.ts';
import { snapshotMetadata } from '../src/write/commit/snapshot-commit.ts';
import type { NewDataFile } from '../src/write/files/data-files.ts';

const SCHEDULES = byEffort(150, 5000, 100_000);
const SEED = Number(process.env.LHS_SEED ?? seedOfDay() * 1_000_000);
const WAREHOUSE = { type: 'filesystem', warehouse: 's3://lake/w' } as const;
const TABLE = 'n.t';
const LOCATION = `${WAREHOUSE.warehouse}/n/t`;
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [{ id: 1, name: 'id', required: true, type: { kind: 'long' } }],
};

/** What writers were told. */
interface Told {
  readonly done: Set<bigint>;
  readonly failed: Set<bigint>;
}

/** The table as one process sees it. */
function seenBy(simulation: Simulation, process: SimulatedProcess, objects: SimulatedObjects) {
  const store = new SimulatedStore(simulation, process, objects);
  const buckets = { endpoint: 'simulated', bucket: () => store };
  const files = new ObjectFiles(buckets, new CopyCache({ folder: '/none', limitBytes: 0 }));
  const options = { allowedRoots: [], store: files as FileStore };
  return {
    create: async (properties: Readonly<Record<string, string>>) => {
      const json = formatJson(newTableMetadata(LOCATION, { schema, properties }));
      await createFilesystemTable(WAREHOUSE, TABLE, json, options);
    },
    load: () => loadFilesystemTable(WAREHOUSE, TABLE, options),
  };
}

const NO_STATISTICS = {
  ...{ valueCounts: new Map(), nullCounts: new Map() },
  ...{ lowerBounds: new Map(), upperBounds: new Map() },
};

/** Appends a data file, as a write of rows does once they are converted. */
async function append(table: TableHandle, name: string, told: Told): Promise<void> {
  const { files } = table;
  const recorded = files.record(`data/${name}.parquet`);
  const added: NewDataFile = {
    ...NO_STATISTICS,
    ...{ recorded, real: files.resolve(recorded), partition: [], fileSize: 4, recordCount: 1 },
  };
  await files.store.write(added.real, Buffer.from('rows'));
  const tried: bigint[] = [];
  try {
    await commitTable(table, async (handle) => {
      const change = {
        ...{ operation: 'append' as const, addedData: [added], addedDeletes: [] },
        ...{ removes: () => false, mayRemove: false },
      };
      const prepared = await snapshotMetadata(handle.metadata, handle.files, change, 'main');
      tried.push(prepared.snapshotId);
      return prepared;
    });
    told.done.add(tried.at(-1)!);
  } catch (error) {
    if (!isOutcomeUnknown(error)) for (const id of tried) told.failed.add(id);
    await discard(error, files.store, [added]);
  }
}

/** Every file that the table names is there; returns its snapshots. */
async function checkWhole({ metadata, files }: TableHandle): Promise<ReadonlySet<bigint>> {
  for (const snapshot of metadata.snapshots) {
    for (const manifest of await readManifestList(snapshot, files)) {
      for (const { file } of await readManifest(manifest, metadata, files)) {
        const there = await files.store.stamp(files.resolve(file.path));
        expect(there, `snapshot ${snapshot.id} names ${file.path}`).not.toBeNull();
      }
    }
  }
  return new Set(metadata.snapshots.map(({ id }) => id));
}

/** One schedule: writers, and a reader; what the table is afterwards is compared. */
async function runSchedule(seed: number): Promise<readonly string[]> {
  const objects: SimulatedObjects = new Map();
  const quiet = new Simulation(seed, NO_FAULTS);
  const properties = {
    'write.metadata.delete-after-commit.enabled': 'true',
    'write.metadata.previous-versions-max': '2',
  };
  quiet.start('first', (process) => seenBy(quiet, process, objects).create(properties));
  await quiet.run();
  const simulation = new Simulation(seed, someFaults(seed));
  const told: Told = { done: new Set(), failed: new Set() };
  for (let w = 0; w < 2 + simulation.below(3); w++) {
    simulation.start(`writer ${w}`, async (process) => {
      const table = seenBy(simulation, process, objects);
      for (let n = 0; n < 2 + simulation.below(5); n++) {
        const handle = await table.load().catch(() => null);
        if (handle !== null) await append(handle, `${w}-${n}`, told).catch(() => undefined);
      }
    });
  }
  await simulation.run();
  const last = new Simulation(seed, NO_FAULTS);
  last.start('reader', async (process) => {
    const there = await checkWhole(await seenBy(last, process, objects).load());
    expect([...told.done].filter((id) => !there.has(id))).toEqual([]);
    expect([...told.failed].filter((id) => there.has(id))).toEqual([]);
  });
  await last.run();
  return simulation.trace;
}

describe('commits over a store that fails', () => {
  it('are taken over whole or not at all, as their writers were told', async () => {
    for (let n = 0; n < SCHEDULES; n++) {
      await runSchedule(SEED + n).catch((error: unknown) => {
        throw new Error(`LHS_SEED=${SEED + n}: ${String(error)}`, { cause: error });
      });
    }
  });

  it('follow from their seed', async () => {
    expect(await runSchedule(SEED)).toEqual(await runSchedule(SEED));
  });
});
