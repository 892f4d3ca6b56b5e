/** Saved queries, past queries of the screen and job records that mention erased rows. */
import { pauses } from '../base/turns.ts';
import type { Registry } from '../registry/registry.ts';
import { type ErasedKeys, textsOfJson } from './erased-keys.ts';
import type { Findings } from './findings.ts';
import { historyDrafts, historyLines, removeHistoryLines } from './query-history.ts';

/** The records of one index. */
export interface IndexRecords {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly uuid: string;
  /** The index's name and its aliases. */
  readonly names: ReadonlySet<string>;
}

/** Searches the records. */
export async function searchRecords(
  records: IndexRecords,
  keys: ErasedKeys,
  findings: Findings,
): Promise<void> {
  const { dataDir, registry } = records;
  const pause = pauses();
  for (const { id, mention } of await mentioningQueries(records, keys, findings)) {
    const detail = 'a saved query mentions the row';
    findings.add({ place: 'saved_query', key: mention, where: id, detail, goes: 'erase' });
  }
  const lines = historyLines(dataDir);
  findings.examined.history_lines += lines.length;
  for (const { line, text } of lines) {
    await pause();
    const key = historyMention(text, records.names, keys);
    if (key === undefined) continue;
    const where = `${findings.shown(dataDir, 'tui-history.ndjson')}:${line}`;
    const detail = 'a past query mentions the row';
    findings.add({ place: 'query_history', key, where, detail, goes: 'erase' });
  }
  for (const draft of historyDrafts(dataDir)) {
    const detail = 'a draft that an interrupted screen left';
    const where = findings.shown(dataDir, draft);
    findings.add({ place: 'query_history', key: null, where, detail, goes: 'erase' });
  }
  const failure = syncMention(records, keys);
  if (failure !== undefined) {
    const detail = 'the reason why syncs fail mentions the row';
    findings.add({ place: 'job_record', key: failure, where: 'sync', detail, goes: 'erase' });
  }
  for (const job of registry.jobs.list()) {
    if (job.uuid !== records.uuid) continue;
    await pause();
    findings.examined.job_records++;
    const key = keys.mentionedIn(textsOfJson(job.record));
    if (key === undefined) continue;
    const detail = `the record of a job in the state "${job.state}" mentions the row`;
    const goes = job.endedMs === null ? 'job_end' : 'erase';
    findings.add({ place: 'job_record', key, where: job.id, detail, goes });
  }
}

/** What was removed. */
export interface RemovedRecords {
  readonly saved_queries_removed: number;
  readonly history_lines_removed: number;
  readonly job_records_removed: number;
}

/** Removes what `searchRecords` reports, and what the registry's file has of deleted rows. */
export async function removeRecords(
  records: IndexRecords,
  keys: ErasedKeys,
): Promise<RemovedRecords> {
  const { dataDir, registry, names } = records;
  const queries = await mentioningQueries(records, keys);
  for (const { id, owner } of queries) registry.queries.delete(owner, id);
  const jobs = registry.jobs
    .list()
    .filter(({ uuid, endedMs }) => uuid === records.uuid && endedMs !== null)
    .filter(({ record }) => keys.mentionedIn(textsOfJson(record)) !== undefined);
  for (const { id } of jobs) registry.jobs.remove(id);
  const drop = (text: string) => historyMention(text, names, keys) !== undefined;
  if (syncMention(records, keys) !== undefined) registry.syncFaults.note(records.uuid, null, 0);
  const history = removeHistoryLines(dataDir, drop);
  registry.scrub();
  return {
    saved_queries_removed: queries.length,
    history_lines_removed: history,
    job_records_removed: jobs.length,
  };
}

const syncMention = ({ registry, uuid }: IndexRecords, keys: ErasedKeys) =>
  keys.mentionedIn(registry.syncFaults.of(uuid)?.message ?? '');

/** Saved queries of the index, and those that name no index. */
async function mentioningQueries(
  { registry, names }: IndexRecords,
  keys: ErasedKeys,
  findings?: Findings,
) {
  const found: { id: string; owner: string; mention: number | null }[] = [];
  const pause = pauses();
  for (const { id, owner, name, description, request } of registry.queries.all()) {
    if (request.index !== undefined && !names.has(request.index)) continue;
    await pause();
    if (findings !== undefined) findings.examined.saved_queries++;
    const mention = keys.mentionedIn(textsOfJson([name, description ?? '', request]));
    if (mention !== undefined) found.push({ id, owner, mention });
  }
  return found;
}

/** A line that is no JSON is searched as it is. */
function historyMention(text: string, names: ReadonlySet<string>, keys: ErasedKeys) {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return keys.mentionedIn(text);
  }
  const { index } = (entry ?? {}) as { readonly index?: unknown };
  if (typeof index === 'string' && !names.has(index)) return undefined;
  return keys.mentionedIn(textsOfJson(entry));
}
