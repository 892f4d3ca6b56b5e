import type { IndexStatus } from '@lakehouse-search/contract';
import { behindText, nextCommand, nextSync } from '../terminal/errors/next-step.ts';
import {
  age,
  bytes,
  count,
  dateTime,
  lackingWords,
  missingWords,
  plural,
  snapshotName,
} from '../terminal/figures.ts';
import { failureWords, keptLines, publishedWords } from '../terminal/generation-lines.ts';
import type { Style } from '../terminal/style.ts';
import { pad, printable, width, wrap } from '../terminal/text.ts';
import { healWords, skippedLines } from './step-lines.ts';

/** Lines about the lag of an index behind its table. */
export function statusLines(status: IndexStatus, style: Style, columns: number): string[] {
  const facts: [string, string | null][] = [
    [status.index, generation(status)],
    ...keptLines(status.generations).map((line): [string, string] => ['kept', line]),
    ...(status.jobs ?? []).map(({ kind, job_id, state }): [string, string] => {
      return ['job', `${kind}, ${state} (lhs jobs watch ${job_id})`];
    }),
    ['checkpoint', checkpoint(status)],
    ['published', publishedWords(status)],
    ['merges', mergeFailure(status, style)],
    ['shards', missing(status, style)],
    ['copies', lacking(status, style)],
    ['sync', syncs(status, style)],
    ['skipped', skipped(status)],
    ['writer', writer(status)],
    ['table', table(status, style)],
    ['history', history(status, style)],
    ['next', nextStep(status)],
  ];
  const wide = Math.max(...facts.map(([name]) => width(name))) + 2;
  return facts.flatMap(([name, text]) =>
    text === null ? [] : wrap(pad(name, wide) + text, columns, ' '.repeat(wide)),
  );
}

/** That an index is behind its table. */
export const behindLines = (status: IndexStatus): string[] =>
  status.lag === undefined || status.lag.snapshots === 0
    ? []
    : [behindText(status.lag.snapshots, status)];

function generation(status: IndexStatus): string {
  if (status.status === 'created') return 'created, not built yet';
  if (status.index_generation === 0) return 'live, on no node that answers';
  const { num_docs, segments, pending_merges: merges } = status;
  const due = merges === 0 ? '' : ` (${plural(merges, 'merge')} due)`;
  const { shards = [], windows } = status;
  const parts =
    (shards.length > 1 ? ` of ${shards.length} shards` : '') +
    (windows === undefined ? '' : ` of ${plural(windows.windows.length, 'window')}`);
  const size = `${bytes(status.bytes)} in ${plural(segments, 'segment')}${parts}${due}`;
  return `live, generation ${status.index_generation}, ${plural(num_docs, 'row')}, ${size}`;
}

function checkpoint({ checkpoint: at }: IndexStatus): string | null {
  if (at === null) return null;
  const name = at.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(at.snapshot)}`;
  return `${name} (${dateTime(at.committed_at)})`;
}

function skipped(status: IndexStatus): string | null {
  const [rows, first] = skippedLines(status);
  return rows === undefined ? null : [rows, first?.trim()].join('; the first: ');
}

const mergeFailure = ({ merge_failure: failure }: IndexStatus, style: Style): string | null =>
  failure === undefined ? null : style.yellow(failureWords(failure));

const missing = ({ missing_shards: shards }: IndexStatus, style: Style): string | null =>
  shards === undefined ? null : style.yellow(missingWords(shards));

const lacking = ({ lacking_copies: shards }: IndexStatus, style: Style): string | null =>
  shards === undefined ? null : style.yellow(lackingWords(shards));

function syncs({ sync_failure: failure, synced_by }: IndexStatus, style: Style): string | null {
  if (failure !== undefined) return style.yellow(failureWords(failure));
  if (synced_by === undefined) return null;
  return synced_by === 'control_plane' ? 'by the control plane' : 'where it is published';
}

const writer = ({ writer: holder }: IndexStatus): string | null =>
  holder === undefined ? null : `process ${holder.pid} on ${holder.host} writes it now`;

function table(status: IndexStatus, style: Style): string {
  const { head, lag, heals, source_error: fault } = status;
  if (fault !== undefined)
    return style.yellow(`cannot be followed now: ${printable(fault.message)}`);
  const newest = head?.at == null ? '' : `newest ${age(Date.now() - Date.parse(head.at))} old`;
  if (lag === undefined) return newest === '' ? 'is empty' : newest;
  if (heals !== undefined) return `${healWords(heals)}; the next sync goes there in one step`;
  const since = newest === '' ? '' : `, ${newest}`;
  if (lag.snapshots === 0) return `at the same snapshot${since}`;
  const { rows } = lag;
  const changes = rows === null ? '' : `: +${count(rows.added)} -${count(rows.deleted)} rows`;
  return `${plural(lag.snapshots, 'snapshot')} ahead${changes}${since}`;
}

function history({ history: policy, checkpoint: at }: IndexStatus, style: Style): string | null {
  if (policy === undefined) return null;
  const keeps = `the table keeps ${age(policy.max_age_ms)}`;
  const { checkpoint_expires_at: expires } = policy;
  if (!policy.at_risk || expires === null) return `${keeps}; nothing is at risk`;
  const name = snapshotName(at?.snapshot ?? '');
  const gone = Date.parse(expires) <= Date.now();
  const when = gone
    ? 'may be expired at any time'
    : `may be expired from ${dateTime(expires)} on, unless a sync comes before`;
  return style.yellow(`${keeps}: snapshot ${name} ${when}`);
}

function nextStep(status: IndexStatus): string | null {
  const { index, lag, source_error: fault, synced_by } = status;
  if (status.status === 'created' || fault?.code === 'source_changed') {
    return nextCommand({ step: 'reindex', index });
  }
  const isBehind = lag !== undefined && lag.snapshots > 0;
  return isBehind && synced_by === undefined ? nextSync(status) : null;
}
