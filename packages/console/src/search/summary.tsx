import type { SearchResponse } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { useAnswer, useTicks } from '../parts/use-answer.ts';
import { count, duration, plural } from '../text/figures.ts';
import { COUNTS_ALONE, type FoundPage, runSearch, withParts } from './find-page.ts';

/** What a search found, and how to ask for newer rows. */
export interface SummaryProps {
  readonly index: string;
  readonly page: FoundPage;
  readonly again: () => void;
}

/** Total, time and freshness in one line, then remarks on the answer. */
export function Summary({ index, page, again }: SummaryProps) {
  const { answer } = page;
  const { total, took_ms } = answer;
  return (
    <>
      <p class="summary" role="status">
        <strong>{plural(total, 'hit')}</strong> in {index} · {duration(took_ms)} ·{' '}
        <Freshness answer={answer} />{' '}
        <button type="button" class="plain" onClick={again}>
          Refresh
        </button>
        <Watch page={page} again={again} />
      </p>
      <Remarks answer={answer} />
    </>
  );
}

/** Remarks on an answer: shards or arms that failed, and notes. */
export function Remarks({ answer }: { readonly answer: SearchResponse }) {
  const { partial, shards_scanned, shards_total } = answer;
  return (
    <>
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

const WATCH_MS = 5000;

/** Counts the hits every few seconds while it is switched on; newer ones are a button. */
function Watch({ page: { answer, wanted }, again }: Omit<SummaryProps, 'index'>) {
  const service = useService();
  const [isOn, setOn] = useState(false);
  const counted = withParts(wanted, { ...COUNTS_ALONE, facets: undefined });
  const newer = useAnswer(isOn ? JSON.stringify(counted) : undefined, (signal) =>
    runSearch(service, counted, signal),
  );
  useTicks(isOn ? WATCH_MS : undefined, newer.again);
  const more = (newer.value?.total ?? answer.total) - answer.total;
  const isNewer = newer.value !== undefined && newer.value.snapshot !== answer.snapshot;
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => setOn(checked)}
        />{' '}
        watch
      </label>
      {isNewer && (
        <button type="button" onClick={again}>
          {more > 0 ? `${plural(more, 'new hit')}: show` : 'rows have changed: show'}
        </button>
      )}
    </>
  );
}

function Freshness({ answer: { lag_snapshots, snapshot } }: { readonly answer: SearchResponse }) {
  const title = snapshot === null ? undefined : `snapshot ${snapshot}`;
  return <span title={title}>{freshness(lag_snapshots)}</span>;
}

/** How far the index was behind its table. */
export function freshness(snapshots: number | null): string {
  if (snapshots === null) return 'not compared with the table yet';
  if (snapshots === 0) return 'at the table’s head';
  return `${plural(snapshots, 'snapshot')} behind the table`;
}
