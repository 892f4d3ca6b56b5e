// @module-tag campaign
// @module-tag slow
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Registry } from '../../packages/engine/src/registry/registry.ts';
import { byEffort } from '../support/effort.ts';
import { schemaOf } from '../support/schema.ts';
import { definitionOf, NAMES, type RaceReport, sourceOf } from './race-report.ts';

/**
 * Processes that reindex, sync, compact, verify, repair, drop, create, alias, search and export the
 * same indexes at once, while their table changes. `LHS_HOSTILE_SECONDS` sets how long,
 * `LHS_SEED` another order of operations.
 */
const SECONDS = Number(process.env.LHS_HOSTILE_SECONDS ?? byEffort(5, 20, 120));
const SEED = Number(process.env.LHS_SEED ?? byEffort(20_261_122, 20_261_123));
const PROCESSES = 4;
const CHILD = fileURLToPath(new URL('./race-child.ts', import.meta.url));
const schema = schemaOf({ id: 'long', title: 'string' });

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-races-'));
  await createTable(sourceOf(folder).catalog, 'a.t', { schema });
  await appendRows(sourceOf(folder), { kind: 'rows', rows: [{ id: 1, title: 'title 1' }] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one process to its end; one that says anything on stderr or ends otherwise has failed. */
function race(seed: number): Promise<RaceReport> {
  const child = spawn(process.execPath, [CHILD, folder, String(seed), String(SECONDS)]);
  const text = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    text.out += bytes;
  });
  child.stderr.on('data', (bytes: Buffer) => {
    text.err += bytes;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      if (code === 0 && text.err === '') resolve(JSON.parse(text.out) as RaceReport);
      else reject(new Error(`process ${seed}: ${code ?? signal}\n${text.err}`));
    });
  });
}

function sum(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const [name, count] of counts.flatMap(Object.entries<number>))
    all[name] = (all[name] ?? 0) + count;
  return all;
}

/** Every index that is left equals its table, and nothing else lies in the folder. */
async function expectWhole(): Promise<void> {
  const data = join(folder, 'data');
  const backend = await openEngine(data, { create: true, threads: 0 });
  const listed = new Set((await backend.listIndexes()).map(({ name }) => name));
  for (const index of NAMES) {
    if (!listed.has(index)) await backend.createIndex({ definition: definitionOf(index, folder) });
    const built = (await backend.describeIndex({ index })).index_generation > 0;
    if (built) await backend.sync({ index });
    else await backend.reindex({ index });
    const { equal, faults } = await backend.verify({ index });
    expect([index, equal, faults]).toEqual([index, true, []]);
  }
  await backend.close();
  const next = await openEngine(data, { create: true, threads: 0 });
  const registry = new Registry(data);
  expect(readdirSync(join(data, 'indexes')).sort()).toEqual([...registry.uuids()].sort());
  for (const index of NAMES) {
    await next.search({ index });
    const names = readdirSync(join(data, 'indexes', registry.get(index).uuid)).sort();
    expect(names).toEqual(['CURRENT', ...(await generationsOf(next, index))]);
  }
  registry.close();
  await next.close();
}

/** Names of the folders of the live generation and of those that are kept. */
async function generationsOf(backend: LocalEngine, index: string): Promise<string[]> {
  const { generations, index_generation } = await backend.describeIndex({ index });
  const numbers = generations?.map(({ generation }) => generation) ?? [index_generation];
  return numbers.map((number) => `gen-${String(number).padStart(6, '0')}`).sort();
}

/** Operations that a run must have done. */
const NEEDED = ['create', 'drop', 'reindex', 'sync', 'compact', 'verify', 'repair', 'alias'];
/** Rounds after which a run ends, whatever it has done. */
const ROUNDS = 20;

const total = (reports: readonly RaceReport[], count: (one: RaceReport) => number): number =>
  reports.reduce((all, one) => all + count(one), 0);

/** What a run has not done yet: a short one on a slow machine needs several rounds for all of it. */
function missing(reports: readonly RaceReport[]): readonly string[] {
  const operations = sum(reports.map((one) => one.operations));
  return [
    ...NEEDED.filter((name) => (operations[name] ?? 0) === 0),
    ...(total(reports, (one) => one.compared) > 0 ? [] : ['compared answers']),
    ...(total(reports, (one) => one.readBackLater) > 0 ? [] : ['points in time read later']),
  ];
}

describe(`${PROCESSES} processes that use the same indexes for ${SECONDS} s (seed ${SEED})`, () => {
  it('give no wrong answer, do not crash and leave no folder', async () => {
    const reports: RaceReport[] = [];
    for (let round = 0; round < ROUNDS && missing(reports).length > 0; round++) {
      const seeds = Array.from({ length: PROCESSES }, (_, i) => SEED + PROCESSES * round + i);
      reports.push(...(await Promise.all(seeds.map(race))));
      expect(reports.flatMap(({ violations }) => violations).join('\n')).toBe('');
    }
    const operations = sum(reports.map((one) => one.operations));
    const refused = sum(reports.map((one) => one.refused));
    console.log(
      `races: ${reports.length / PROCESSES} rounds, ${JSON.stringify(operations)}, refused ` +
        `${JSON.stringify(refused)}, ${total(reports, (one) => one.compared)} answers compared, ` +
        `${total(reports, (one) => one.readBack)} points in time read again, ` +
        `${total(reports, (one) => one.readBackLater)} of them after other commits, ` +
        `seed ${SEED}, 0 violations`,
    );
    expect(missing(reports)).toEqual([]);
    await expectWhole();
  });
});
