import type { SearchResponse } from '@lakehouse-search/contract';
import { count, duration, plural, snapshotName } from '../text/figures.ts';

/** Total, time and freshness in one line, then what is missing and why. */
export function Summary({
  index,
  answer,
}: {
  readonly index: string;
  readonly answer: SearchResponse;
}) {
  const { total, took_ms, partial, shards_scanned, shards_total } = answer;
  return (
    <>
      <p class="summary" role="status">
        <strong>{plural(total, 'hit')}</strong> in {index} · {duration(took_ms)} ·{' '}
        {freshness(answer)}
      </p>
      {partial === true && (
        <p class="remark">
          The answer is partial: {count(shards_scanned)} of {plural(shards_total, 'shard')}{' '}
          answered.
        </p>
      )}
      {answer.failed_arms?.map(({ arm, message, hint }) => (
        <p class="remark" key={arm}>
          The {arm} arm did not answer: {message}
          {hint !== undefined && ` (${hint})`}
        </p>
      ))}
      {answer.notes?.map((note) => (
        <p class="remark" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}

/** How far the index was behind its table. */
export function freshness({
  lag_snapshots,
  snapshot,
}: Pick<SearchResponse, 'lag_snapshots' | 'snapshot'>): string {
  const at = snapshot === null ? '' : ` (snapshot ${snapshotName(snapshot)})`;
  if (lag_snapshots === null) return `not compared with the table yet${at}`;
  if (lag_snapshots === 0) return `at the table’s head${at}`;
  return `${plural(lag_snapshots, 'snapshot')} behind the table${at}`;
}
