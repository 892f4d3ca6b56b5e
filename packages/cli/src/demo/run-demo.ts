import { join } from 'node:path';
import { type Backend, formatKey, type SearchResponse } from '@lakehouse-search/engine';
import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import { bytes, count, duration, plural, snapshotName } from '../terminal/figures.ts';
import { forgetDemo } from './forget-index.ts';
import { INCIDENT_SCHEMA, incidentDefinition, MEANING, QUESTIONS } from './incident-table.ts';
import { closed, incidents } from './incidents.ts';

/** Tells a line of the story. */
export type Tell = (line: string) => void;

/** What the demo found, for --json. */
export interface DemoReport {
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly equal: boolean;
  readonly questions: readonly { readonly query: string; readonly total: number }[];
}

const ROWS = 5000;
const NEW_ROWS = 20;
const INDEX = 'incidents';
const TABLE = 'ops.incidents';
const CLOSED = [4216, 4217, 4218];
const GONE = [4219, 4220];

/**
 * The whole story in the data folder: 1. a table, 2. an index, 3. seven questions, 4. the table
 * changes and the index follows, 5. verify. A table and an index of an earlier demo are replaced.
 */
export async function runDemo(backend: Backend, dataDir: string, tell: Tell): Promise<DemoReport> {
  const warehouse = join(dataDir, 'lake');
  const catalog = { type: 'filesystem' as const, warehouse };
  const config = { catalog, table: TABLE };
  await forgetDemo(backend, INDEX, join(warehouse, 'ops', 'incidents'));

  const table = await timed(async () => {
    await createTable(catalog, TABLE, { schema: INCIDENT_SCHEMA, formatVersion: 3 });
    return appendRows(config, { kind: 'rows', rows: rowsOf(incidents(0, ROWS)) });
  });
  tell(
    `1  a table     ${count(ROWS)} incident reports → ${warehouse}/ops/incidents (Apache Iceberg)  ${table.time}`,
  );

  const index = await timed(async () => {
    await backend.createIndex({ definition: incidentDefinition(warehouse), baseDir: dataDir });
    return backend.reindex({ index: INDEX });
  });
  tell(
    `2  an index    title, narrative and what they mean, service, severity, opened_at, host, details → ${bytes(index.value.bytes)}  ${index.time}`,
  );

  tell('3  questions');
  const questions = [];
  for (const { shows, request, flags } of QUESTIONS) {
    const answer = await backend.search({ ...request, index: INDEX, limit: 1 });
    tell(`   lhs search ${INDEX} '${request.query}'${flags}`);
    tell(
      `     ${shows}: ${plural(answer.total, 'hit')}, ${duration(answer.took_ms)}; first: ${firstHit(answer)}`,
    );
    questions.push({ query: request.query, total: answer.total });
  }
  questions.push(await byMeaning(backend, tell));
  await hydrated(backend, tell);

  const changed = await change(backend, config, tell);
  const proof = await backend.verify({ index: INDEX });
  const verdict = proof.equal ? 'the index equals the table' : 'the index does NOT equal the table';
  tell(
    `5  proof       verify: ${count(proof.rows_compared)} rows compared in ${duration(proof.took_ms)}: ${verdict}`,
  );
  for (const line of nextSteps(warehouse)) tell(line);
  return { rows: proof.rows_compared, ...changed, equal: proof.equal, questions };
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
async function byMeaning(backend: Backend, tell: Tell) {
  const { shows, query_text } = MEANING;
  const answer = await backend.semantic({ index: INDEX, query_text, limit: 1 });
  tell(`   lhs search ${INDEX} '${query_text}' --mode semantic`);
  const time = duration(answer.took_ms);
  tell(`     ${shows}: the nearest of ${count(ROWS)}, ${time}; first: ${firstHit(answer)}`);
  return { query: query_text, total: answer.total };
}

async function hydrated(backend: Backend, tell: Tell): Promise<void> {
  const query = 'title:"connection reset"';
  const answer = await backend.search({ index: INDEX, query, limit: 3, hydrate: true });
  tell(`   lhs search ${INDEX} '${query}' --limit 3 --hydrate`);
  const read = bytes(answer.hydrate_bytes ?? 0);
  tell(
    `     rows from the table by key: ${count(answer.hits.length)} rows, ${read} of its files read, ${duration(answer.took_ms)}`,
  );
}

/**
 * An append, an update and a delete, each a snapshot; then the same question before and after the
 * sync.
 */
async function change(backend: Backend, config: Parameters<typeof deleteRows>[0], tell: Tell) {
  const query = 'permanent fix';
  const ask = () => backend.search({ index: INDEX, query: `narrative:"${query}"`, limit: 1 });
  const before = await ask();
  await appendRows(config, { kind: 'rows', rows: rowsOf(incidents(ROWS, NEW_ROWS)) });
  const updates = CLOSED.flatMap((id) => incidents(id, 1)).map(closed);
  await upsertRows(config, { kind: 'rows', rows: rowsOf(updates) });
  await deleteRows(config, `id IN (${GONE.join(', ')})`);
  const sync = await timed(() => backend.sync({ index: INDEX }));
  const after = await ask();
  const { inserted, updated, deleted, snapshots_applied } = sync.value;
  tell(
    `4  the table changes: ${inserted} new, ${updated} changed, ${deleted} deleted → ${plural(snapshots_applied, 'snapshot')} synced in ${sync.time}`,
  );
  tell(
    `   the same question again, narrative:"${query}": ${plural(before.total, 'hit')} before, ${count(after.total)} now (snapshot ${snapshotName(after.snapshot ?? '')})`,
  );
  return { inserted, updated, deleted };
}

function nextSteps(warehouse: string): string[] {
  return [
    '',
    `go on with it: lhs search ${INDEX} 'timeout AND service:billing'`,
    `               lhs keys get ${INDEX} id=4217`,
    `               lhs index sync ${INDEX} --follow`,
    `               lhs source changes ${TABLE} --warehouse ${warehouse} --from ID --to ID`,
    'yours next:    lhs source import my.parquet --warehouse ./lake --table my.table --key id',
    '               lhs index init my.table --warehouse ./lake > my.yaml && lhs index create -f my.yaml && lhs index reindex table',
  ];
}
