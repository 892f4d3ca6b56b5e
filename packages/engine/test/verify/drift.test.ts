// @module-tag campaign
/**
 * Planted drifts: an index is edited behind its back, several ways at once; verify must find
 * exactly that, and repair must make it what a fresh build is. The oracle is a plain list of what
 * was planted (verify/plant-drift.ts) and the export of the fresh build.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable, type SourceTable } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { expectVectors } from '../../../../test/support/expect-vectors.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { ANALYZER_CATALOG } from '../../src/analysis/registry.ts';
import { rowsToBlock } from '../../src/documents/rows-to-block.ts';
import { VectorStage } from '../../src/documents/vectors/vector-stage.ts';
import { contentDigest } from '../../src/index/commits/content-digest.ts';
import type { DataFiles } from '../../src/index/commits/data-files.ts';
import { asCommitted } from '../../src/index/merges/stored-plans.ts';
import { currentGeneration, takeLock } from '../../src/open/index-folder.ts';
import { type OpenIndex, openIndex } from '../../src/open/open-index.ts';
import type { DocumentBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { encodeKey, keyOfCoordinates } from '../../src/schema/keys/key.ts';
import { requireDefinition } from '../../src/schema/parse/parse-definition.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { createFileTable } from '../../src/sync/batch/file-table.ts';
import { repairIndex } from '../../src/verify/repair.ts';
import { verifyIndex } from '../../src/verify/verify-index.ts';
import { exportAll } from '../open/export-all.ts';
import { DriftDoor, hex, naiveDrift, retold, type Told, toldDocs } from './plant-drift.ts';

const SEED = Number(process.env.LHS_SEED ?? 20251121);
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../fixtures/tables/${name}`, import.meta.url));

const models = tinyModels();
let folder = '';
let backend: LocalEngine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-drift-'));
  backend = await openEngine(folder, { create: true, threads: 0, openEmbedder: models.open });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const definitionOf = (name: string) => `version: 1
index: t
source: { path: ${JSON.stringify(fixture(name))} }
key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: service, type: KEYWORD, fast: true, cached: true }
  - { name: at, type: DATE, cached: true }
  - { name: meaning, type: VECTOR, source: title, model: ./tiny, dims: 8 }
${name === 'own_vectors' ? 'variants: [{ column: details }]' : ''}
`;

/**
 * An index that was built at the table's first snapshot and followed it, and all about its rows.
 */
interface Scene {
  readonly path: string;
  readonly table: SourceTable;
  readonly definition: ReturnType<typeof requireDefinition>;
  readonly open: () => OpenIndex;
  readonly plans: readonly FieldPlan[];
  readonly rows: readonly Told[];
  readonly blocks: ReadonlyMap<string, DocumentBlock>;
  readonly files: DataFiles;
  readonly digest: string;
  readonly exported: string;
  /** Key columns whose numbers are in sorting form. */
  readonly numbers: readonly number[];
}

async function sceneOf(name: string): Promise<Scene> {
  const table = await openTable({ path: fixture(name) }, { engine: 'own' });
  const text = definitionOf(name);
  await backend.createIndex({ definition: text, base_dir: '/' });
  await backend.reindex({});
  const definition = requireDefinition(text, ANALYZER_CATALOG);
  const path = join(folder, 'indexes', readdirSync(join(folder, 'indexes'))[0]);
  const open = () => openIndex(path, definition, () => definition, openLocalDirectory);
  const fresh = open();
  const exported = exportOf(fresh);
  const { digest } = contentDigest(fresh.snapshot);
  fresh.snapshot.release();
  await backend.reindex({ as_of: String(table.ancestry(table.currentSnapshotId!).at(-1)!.id) });
  await backend.sync({});
  const { snapshot, mapping } = open();
  const { files } = snapshot;
  const own = mapping.fields.map(({ plan }) => plan);
  const plans = asCommitted(own, snapshot.commit);
  const stage = new VectorStage({
    index: 't',
    folder: path,
    baseDir: path,
    openEmbedder: models.open,
  });
  snapshot.release();
  const blocks = new Map<string, DocumentBlock>();
  const rows: Told[] = [];
  const columns = mapping.columns.map((column) => column.name);
  for await (const batch of table.scan({ columns, batchRows: 1 })) {
    const number = createFileTable(files).known(batch.file)!;
    const block = await stage.complete(plans, rowsToBlock(mapping, batch, number, new Map()));
    const key = hex(block.keyBytes.subarray(block.keyOffsets[0], block.keyOffsets[1]));
    blocks.set(key, block);
    const position = batch.positions[0];
    rows.push({ key, hash: block.hashes[0], path: files.at(number).path, position });
  }
  await stage.close();
  const numbers = mapping.key.numbers ?? [];
  return { path, table, definition, open, plans, rows, blocks, files, digest, exported, numbers };
}

const exportOf = (open: OpenIndex): string =>
  [...exportAll(open)].map((document) => JSON.stringify(document)).join('\n');

/** Picks of one case: kinds of edits, and numbers that say which documents and places. */
interface Case {
  readonly edits: readonly Edit[];
  readonly drop: number | null;
  readonly revive: readonly number[];
}
interface Edit {
  readonly kind: 'delete' | 'stranger' | 'hash' | 'content' | 'swap' | 'place';
  readonly a: number;
  readonly b: number;
}
const edit = fc.record({
  kind: fc.constantFrom<Edit['kind']>('delete', 'stranger', 'hash', 'content', 'swap', 'place'),
  a: fc.nat(),
  b: fc.nat(),
});
const cases: fc.Arbitrary<Case> = fc.record({
  edits: fc.array(edit, { maxLength: 6 }),
  drop: fc.option(fc.nat(), { freq: 5, nil: null }),
  revive: fc.array(fc.nat(), { maxLength: 2 }),
});

/** Every repair adds a segment: now and then they are merged, as a sync would. */
const MOST_SEGMENTS = 3;

function plant(scene: Scene, { edits, drop, revive }: Case, door: DriftDoor): void {
  const { rows, blocks, files } = scene;
  const touched = new Set<string>();
  const fileOf = (told: Told) => files.paths().indexOf(told.path);
  const free = (n: number): Told | null => {
    const left = rows.filter(({ key }) => !touched.has(key));
    if (left.length === 0) return null;
    const row = left[n % left.length];
    touched.add(row.key);
    return row;
  };
  door.write((writer) => {
    if (writer.segments > MOST_SEGMENTS) writer.merges.runForced(2);
    const replace = (row: Told, source: Told, told: Partial<Told>) => {
      door.delete(writer, row.key);
      const block = retold(blocks.get(source.key)!, fileOf(source), { ...told, key: row.key });
      door.add(writer, block, source.path);
    };
    edits.forEach(({ kind, a, b }, i) => {
      const row = free(a);
      if (row === null) return;
      const other = rows[b % rows.length];
      if (kind === 'delete') door.delete(writer, row.key);
      else if (kind === 'stranger') {
        const key = hex(encodeKey([`${900_000 + (a % 1000)}${i}`], scene.numbers));
        const place = { key, position: b % 100 };
        door.add(writer, retold(blocks.get(row.key)!, fileOf(row), place), row.path);
      } else if (kind === 'hash') replace(row, row, { hash: row.hash ^ BigInt(1 + (b % 1000)) });
      else if (kind === 'content') replace(row, other, { position: row.position });
      else if (kind === 'swap') {
        const second = free(b);
        if (second === null) return;
        replace(row, second, {});
        replace(second, row, {});
      } else door.move(writer, row.key, fileOf(other), other.path, b % 60);
    });
  });
  for (const n of revive) {
    door.revive(
      (count) => n % count,
      (key) => !touched.has(key),
    );
  }
  if (drop !== null) door.dropSegment((count) => drop % count);
}

/** Whether every key of `shown`, as often as it stands there, is in `all`; both are sorted. */
function isPart(shown: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const key of all) if (key === shown[at]) at++;
  return at === shown.length;
}

const drifted = { found: 0, cases: 0 };

async function holds(scene: Scene, planted: Case): Promise<void> {
  const directory = openLocalDirectory(currentGeneration(scene.path)!.path);
  const door = new DriftDoor(directory, scene.plans, toldDocs(directory));
  plant(scene, planted, door);
  const wanted = naiveDrift(scene.rows, door.docs);
  const open = scene.open();
  const { answer } = await verifyIndex(open, scene.table, {}, {});
  const keysOf = (keys: typeof answer.keys.missing) =>
    keys.map((key) => hex(keyOfCoordinates(open.mapping.key, key))).sort();
  const { missing, extra, stale } = answer.keys;
  const found = { missing: keysOf(missing), extra: keysOf(extra), stale: keysOf(stale) };
  for (const kind of ['missing', 'extra', 'stale'] as const) {
    const [shown, all] = [found[kind], wanted[kind]];
    expect(answer[kind]).toBe(all.length);
    if (all.length <= REQUEST_LIMITS.driftedKeysShown) expect(shown).toEqual(all);
    else expect(shown.length === REQUEST_LIMITS.driftedKeysShown && isPart(shown, all)).toBe(true);
  }
  const count = wanted.missing.length + wanted.extra.length + wanted.stale.length;
  expect(answer).toMatchObject({
    equal: count === 0,
    rows_compared: scene.rows.length,
    doc_count: door.docs.length,
    faults: [],
    digest: { table: scene.digest, index: contentDigest(open.snapshot).digest },
  });
  open.snapshot.release();
  drifted.cases++;
  drifted.found += count;
  await repairs(scene, wanted);
}

/** Every document has the vector of its title. */
function expectMeaning(open: OpenIndex): void {
  const texts = [...exportAll(open)].map(({ coordinates, fields }) => {
    return [coordinates.identifier[0].value, (fields.title ?? null) as string | null] as const;
  });
  expectVectors(open.snapshot, 'meaning', new Map(texts));
}

async function repairs(scene: Scene, wanted: ReturnType<typeof naiveDrift>): Promise<void> {
  const { path, definition, table } = scene;
  const lock = takeLock(path, 't', 'repair');
  const locked = {
    folder: path,
    definition,
    definitionVersion: 1,
    table,
    lock,
    openDirectory: openLocalDirectory,
    baseDir: path,
    openEmbedder: models.open,
  };
  const unchecked = () => async () => [];
  const checkOf = drifted.cases % 10 === 0 ? undefined : unchecked;
  const answer = await repairIndex(locked, {}, {}, checkOf).finally(() => lock.release());
  expect(answer).toMatchObject({
    equal: true,
    digest: { index: scene.digest, table: scene.digest },
    repaired: {
      added: wanted.missing.length,
      replaced: wanted.stale.length,
      deleted: wanted.extra.length,
    },
  });
  const open = scene.open();
  expect(exportOf(open)).toBe(scene.exported);
  expectMeaning(open);
  open.snapshot.release();
}

describe('verify on an index that drifted', () => {
  it.each([
    ['own_positions', byEffort(8, 25, 250)],
    ['own_equality', byEffort(8, 30, 370)],
    ['own_vectors', byEffort(8, 30, 370)],
    ['own_codecs', byEffort(3, 10)],
  ])('finds exactly the planted drifts and repairs them: %s, %i', async (name, runs) => {
    const scene = await sceneOf(name);
    await fc.assert(
      fc.asyncProperty(cases, (planted) => holds(scene, planted)),
      { seed: SEED, numRuns: runs, endOnFailure: true },
    );
    await scene.table.close();
    console.log(`${name}: ${drifted.cases} cases so far, ${drifted.found} documents drifted`);
  });
});
