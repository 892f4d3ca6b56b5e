import type { SearchResponse } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { formatKey } from '@lakehouse-search/engine';
import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { bytes, count, duration, plural, snapshotName } from '../terminal/figures.ts';
import { INCIDENT_SCHEMA, incidentDefinition, MEANING, QUESTIONS } from './incident-table.ts';
import { closed, incidents } from './incidents.ts';
import {
  DEMO_PROPERTIES,
  type DemoNames,
  demoFolder,
  demoNames,
  removeEarlierDemo,
} from './own-names.ts';

/** Tells a line of the story. */
export type Tell = (line: string) => void;

/** What the demo found, for --json. */
export interface DemoReport {
  readonly index: string;
  readonly table: string;
  readonly warehouse: string;
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly equal: boolean;
  readonly questions: readonly { readonly query: string; readonly total: number }[];
}

const ROWS = 5000;
const NEW_ROWS = 20;
const CLOSED = [4216, 4217, 4218];
const GONE = [4219, 4220];

/**
 * Runs the whole demo in the data folder: makes a table and an index, asks eight questions, changes
 * the table, syncs the index and verifies it. It replaces the table and the index of an earlier
 * demo and refuses to replace anything else.
 */
export async function runDemo(
  backend: BackendApi,
  dataDir: string,
  tell: Tell,
): Promise<DemoReport> {
  const names = demoNames(dataDir, 'incidents');
  const aliases = await removeEarlierDemo(backend, names);
  await makeTable(names, tell);
  await makeIndex(backend, names, dataDir, tell);
  for (const alias of aliases) await backend.setAlias(alias);
  const questions = await ask(backend, names.index, tell);
  const changed = await change(backend, names, tell);
  const proof = await backend.verify({ index: names.index });
  const verdict = proof.equal ? 'the index equals the table' : 'the index does NOT equal the table';
  tell(
    `5  proof       verify: ${count(proof.rows_compared)} rows compared in ` +
      `${duration(proof.took_ms)}: ${verdict}`,
  );
  for (const line of nextSteps(names)) tell(line);
  return { ...names, rows: proof.rows_compared, ...changed, equal: proof.equal, questions };
}

const configOf = ({ table, warehouse }: DemoNames) => ({
  catalog: { type: 'filesystem' as const, warehouse },
  table,
});

async function makeTable(names: DemoNames, tell: Tell): Promise<void> {
  const config = configOf(names);
  const { time } = await timed(async () => {
    await createTable(config.catalog, config.table, {
      schema: INCIDENT_SCHEMA,
      formatVersion: 3,
      properties: DEMO_PROPERTIES,
    });
    return appendRows(config, { kind: 'rows', rows: rowsOf(incidents(0, ROWS)) });
  });
  tell(
    `1  a table     ${count(ROWS)} incident reports → ${demoFolder(names)} (Apache ` +
      `Iceberg)  ${time}`,
  );
}

async function makeIndex(
  backend: BackendApi,
  names: DemoNames,
  baseDir: string,
  tell: Tell,
): Promise<void> {
  const { value, time } = await timed(async () => {
    await backend.createIndex({ definition: incidentDefinition(names), base_dir: baseDir });
    return backend.reindex({ index: names.index });
  });
  tell(
    '2  an index    title, narrative, their meaning, service, severity, opened_at, ' +
      `host, details → ${bytes(value.bytes)}  ${time}`,
  );
}

async function ask(backend: BackendApi, index: string, tell: Tell) {
  tell('3  questions');
  const questions = [];
  for (const { shows, request, flags } of QUESTIONS) {
    const answer = await backend.search({ ...request, index, limit: 1 });
    tell(`   lhs search ${index} '${request.query}'${flags}`);
    tell(
      `     ${shows}: ${plural(answer.total, 'hit')}, ${duration(answer.took_ms)}; ` +
        `first: ${firstHit(answer)}`,
    );
    questions.push({ query: request.query, total: answer.total });
  }
  questions.push(await byMeaning(backend, index, tell));
  questions.push(await hydrated(backend, index, tell));
  return questions;
}

function rowsOf(reports: readonly object[]): readonly Readonly<Record<string, unknown>>[] {
  return reports.map((report) => ({ ...report }));
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; time: string }> {
  const started = performance.now();
  const value = await work();
  return { value, time: duration(performance.now() - started) };
}

function firstHit(answer: SearchResponse): string {
  const [hit] = answer.hits;
  if (hit === undefined) return 'none';
  return `${formatKey(hit.coordinates)} “${String(hit.fields?.title ?? '')}”`;
}

/** The one question that shares no word with what it finds. */
async function byMeaning(backend: BackendApi, index: string, tell: Tell) {
  const { shows, query_text } = MEANING;
  const answer = await backend.semantic({ index, query_text, limit: 1 });
  tell(`   lhs search ${index} '${query_text}' --mode semantic`);
  const time = duration(answer.took_ms);
  tell(`     ${shows}: the nearest of ${count(ROWS)}, ${time}; first: ${firstHit(answer)}`);
  return { query: query_text, total: answer.total };
}

async function hydrated(backend: BackendApi, index: string, tell: Tell) {
  const query = 'title:"connection reset"';
  const answer = await backend.search({ index, query, limit: 3, hydrate: true });
  tell(`   lhs search ${index} '${query}' --limit 3 --hydrate`);
  const read = bytes(answer.hydrate_bytes ?? 0);
  tell(
    `     rows from the table by key: ${count(answer.hits.length)} rows, ${read} of its ` +
      `files read, ${duration(answer.took_ms)}`,
  );
  return { query, total: answer.total };
}

/**
 * An append, an update and a delete, each a snapshot; then the same question before and after the
 * sync.
 */
async function change(backend: BackendApi, names: DemoNames, tell: Tell) {
  const { index } = names;
  const config = configOf(names);
  const query = 'permanent fix';
  const ask = () => backend.search({ index, query: `narrative:"${query}"`, limit: 1 });
  const before = await ask();
  await appendRows(config, { kind: 'rows', rows: rowsOf(incidents(ROWS, NEW_ROWS)) });
  const updates = CLOSED.flatMap((id) => incidents(id, 1)).map(closed);
  await upsertRows(config, { kind: 'rows', rows: rowsOf(updates) });
  await deleteRows(config, `id IN (${GONE.join(', ')})`);
  const sync = await timed(() => backend.sync({ index }));
  const after = await ask();
  const { inserted, updated, deleted, snapshots_applied } = sync.value;
  tell(
    `4  the table changes: ${inserted} new, ${updated} changed, ${deleted} deleted → ` +
      `${plural(snapshots_applied, 'snapshot')} synced in ${sync.time}`,
  );
  tell(
    `   the same question again, narrative:"${query}": ${plural(before.total, 'hit')} ` +
      `before, ${count(after.total)} now (snapshot ${snapshotName(after.snapshot ?? '')})`,
  );
  return { inserted, updated, deleted };
}

function nextSteps({ index, table, warehouse }: DemoNames): string[] {
  return [
    '',
    'try next:',
    `   lhs tui ${index}`,
    `   lhs search ${index} 'timeout AND service:billing'`,
    `   lhs keys get ${index} id=4217`,
    `   lhs source snapshots ${table} --warehouse ${shellWord(warehouse)}`,
    'with your own data:',
    '   lhs source import my.parquet --table my.events --warehouse ./lake --key id',
    '   lhs index init my.events --warehouse ./lake > events.yaml',
    '   lhs index create events.yaml && lhs index reindex events',
  ];
}
