/**
 * One of several processes that write and search the same indexes of one data folder until a
 * deadline. Run by hostile-races.test.ts with the folder, a seed and seconds; prints a `RaceReport`
 * as JSON. Every answer is compared with the table at the snapshot that the answer names.
 */
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, openTable } from '@lakehouse-search/lake';
import { definitionOf, NAMES, type RaceReport, sourceOf } from './race-report.ts';

const [folder, seedText, secondsText] = process.argv.slice(2);
const dataDir = join(folder, 'data');
const source = sourceOf(folder);
const MOST_ROWS = 400;

/** What may go wrong in a race, and is said by name. */
const EXPECTED: ReadonlySet<string> = new Set([
  'index_not_found',
  'index_exists',
  'index_not_built',
  'index_busy',
  'not_found',
  'source_changed',
]);

const report: RaceReport = {
  operations: {},
  refused: {},
  violations: [],
  compared: 0,
  readBack: 0,
  readBackLater: 0,
};
let state = Number(seedText) >>> 0;
/** xorshift32: the operations of a seed are always the same, their moments are not. */
function random(below: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)];
const violation = (what: string) => report.violations.push(what);

let backend: LocalEngine = await openEngine(dataDir, { create: true, threads: 0 });
let nextId = (Number(seedText) % 1000) * 1_000_000;
/** Points in time that this process opened, and the answer that each gave at first. */
const pits: { index: string; id: string; ids: string; at: string }[] = [];

const ANSWER = { sort: [{ field: 'id' }], limit: 1000, fields: ['id'] };

async function idsOf(
  index: string,
  pit_id?: string,
): Promise<{ ids: string; at: string; snapshot: string | null }> {
  const page = { ...ANSWER, index, query: '*:*', ...(pit_id === undefined ? {} : { pit_id }) };
  const { hits, total, snapshot, index_generation } = await backend.search(page);
  if (hits.length !== total) violation(`${index}: ${hits.length} hits of ${total}`);
  const ids = hits.map(({ fields }) => Number(fields?.id)).join(' ');
  return { ids, at: `${index_generation}/${snapshot}`, snapshot };
}

async function idsOfTable(snapshot: string | null): Promise<string> {
  if (snapshot === null) return '';
  const table = await openTable(source);
  try {
    const ids: number[] = [];
    for await (const { columns } of table.scan({ snapshotId: BigInt(snapshot), columns: ['id'] })) {
      const [column] = columns;
      if (column.kind !== 'int64') throw new Error(`ids are ${column.kind}`);
      for (const id of column.values) ids.push(Number(id));
    }
    return ids.sort((a, b) => a - b).join(' ');
  } finally {
    await table.close();
  }
}

/** An answer is what the table holds at the snapshot that the answer names. */
async function compare(index: string): Promise<void> {
  const { ids, snapshot } = await idsOf(index);
  const truth = await idsOfTable(snapshot);
  report.compared++;
  if (ids !== truth) violation(`${index} at ${snapshot}: "${ids}" should be "${truth}"`);
}

async function openPit(index: string): Promise<void> {
  const { pit_id } = await backend.openPit({ index, keep_alive: '30m' });
  const { ids, at } = await idsOf(index, pit_id);
  pits.push({ index, id: pit_id, ids, at });
  if (pits.length > 20) await closePit();
}

async function closePit(): Promise<void> {
  const pit = pits.shift();
  if (pit !== undefined) await backend.closePit({ index: pit.index, pit_id: pit.id });
}

/** A point in time gives its answer again, however often its index was committed to. */
async function readPit(): Promise<void> {
  if (pits.length === 0) return;
  const pit = oneOf(pits);
  const again = await idsOf(pit.index, pit.id).catch((error: unknown) => {
    // Its index was dropped, and with it the point in time.
    pits.splice(pits.indexOf(pit), 1);
    throw error;
  });
  report.readBack++;
  const { at } = await idsOf(pit.index);
  if (at !== pit.at) report.readBackLater++;
  if (again.ids === pit.ids && again.at === pit.at) return;
  violation(`the point in time of ${pit.at} of ${pit.index}: "${again.ids}" was "${pit.ids}"`);
}

async function changeTable(): Promise<void> {
  const table = await openTable(source);
  const rows =
    table.currentSnapshotId === null ? '' : await idsOfTable(String(table.currentSnapshotId));
  await table.close();
  const ids = rows === '' ? [] : rows.split(' ');
  if (ids.length > MOST_ROWS) {
    await deleteRows(source, `id IN (${ids.filter((_, i) => i % 2 === 0).join(', ')})`);
    return;
  }
  const more = Array.from({ length: 1 + random(12) }, () => ({
    id: nextId++,
    title: `title ${random(9)}`,
  }));
  await appendRows(source, { kind: 'rows', rows: more });
}

async function verify(index: string, repair: boolean): Promise<void> {
  const { equal, faults } = await backend.verify({ index, repair });
  if (!equal) violation(`verify of ${index}: ${JSON.stringify(faults)}`);
}

async function exportAll(index: string): Promise<void> {
  let count = 0;
  for await (const _ of backend.exportDocuments({ index })) count++;
  if (count > MOST_ROWS + 100) violation(`an export of ${index} gave ${count} documents`);
}

async function reopen(): Promise<void> {
  const former = backend;
  backend = await openEngine(dataDir, { create: true, threads: 0 });
  await former.close();
}

/** Operations by name, each as often as its weight says. */
const OPERATIONS: readonly (readonly [string, number, (index: string) => Promise<unknown>])[] = [
  ['create', 4, (index) => backend.createIndex({ definition: definitionOf(index, folder) })],
  ['drop', 1, (index) => backend.dropIndex({ index })],
  ['reindex', 6, (index) => backend.reindex({ index })],
  ['sync', 10, (index) => backend.sync({ index })],
  ['compact', 4, (index) => backend.compact({ index })],
  ['verify', 3, (index) => verify(index, false)],
  ['repair', 2, (index) => verify(index, true)],
  ['alias', 2, (index) => backend.setAlias({ alias: 'now', index })],
  ['drop alias', 1, () => backend.dropAlias({ alias: 'now' })],
  ['search', 12, compare],
  ['search by alias', 3, () => compare('now')],
  ['export', 2, exportAll],
  ['list', 2, () => backend.listIndexes()],
  ['status', 2, (index) => backend.status({ index })],
  ['open a point in time', 4, openPit],
  ['read a point in time', 10, readPit],
  ['reopen', 1, reopen],
  ['change the table', 6, changeTable],
];
const WEIGHTED = OPERATIONS.flatMap((operation) =>
  Array.from({ length: operation[1] }, () => operation),
);

const add = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

async function step(): Promise<void> {
  const [name, , run] = oneOf(WEIGHTED);
  const index = oneOf(NAMES);
  try {
    await run(index);
    add(report.operations, name);
  } catch (error) {
    const known = error instanceof LhsError;
    const code = known ? error.code : '';
    add(report.refused, code);
    const more = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!EXPECTED.has(code)) violation(`${name} of ${index}: ${code} ${more}`);
    else if (
      /did you mean "(x|y)"\?/.test(String(error)) &&
      /"(x|y)"; did you mean "\1"/.test(String(error))
    ) {
      violation(String(error));
    }
  }
}

const until = performance.now() + Number(secondsText) * 1000;
while (performance.now() < until && report.violations.length < 5) await step();
while (pits.length > 0) await closePit().catch(() => {});
await backend.close();
process.stdout.write(JSON.stringify(report));
