import type {
  Healed,
  HealReason,
  Progress,
  ReindexResponse,
  SkippedRows,
} from '@lakehouse-search/contract';
import { count, plural, snapshotName } from '../terminal/figures.ts';
import { printable } from '../terminal/text.ts';

type Step = Pick<Progress, 'snapshot' | 'operation' | 'inserted' | 'updated' | 'deleted'>;

/** `5110…0042  overwrite      +4     ~37     -12`; counts of nothing are left blank. */
export function stepLine(step: Step): string {
  const name = snapshotName(step.snapshot ?? 'empty').padEnd(9);
  const operation = (step.operation ?? '').padEnd(9);
  const { inserted = 0, updated = 0, deleted = 0 } = step;
  if (inserted + updated + deleted > 0) {
    return (
      `${name}  ` +
      `${operation}${signed('+', inserted)}${signed('~', updated)}${signed('-', deleted)}`
    );
  }
  const what = step.operation === 'replace' ? 'rewritten files, no row changed' : 'no row changed';
  return `${name}  ${operation}  ${what}`;
}

const signed = (sign: string, n: number) => (n === 0 ? '' : `${sign}${count(n)}`).padStart(8);

/** Why it went in one step. */
export const oneStep = ({ reason }: Healed): string =>
  `${healWords(reason)}: the index went there in one step`;

const WORDS: Readonly<Record<HealReason, string>> = {
  snapshot_expired: 'the table has expired the index’s snapshot',
  rolled_back: 'the table was rolled back',
  ref_changed: 'the definition follows another branch or tag',
  diverged: 'the table’s history has diverged',
  files_missing: 'files of a snapshot in between are missing',
  snapshot_invalid: 'a snapshot in between has rows that cannot be indexed',
};

/** Why a sync goes to the head of the table in one step. */
export const healWords = (reason: HealReason): string => WORDS[reason];

/** Lines about the VECTOR fields of a sync; none if the index has none. */
export function vectorLines({
  embeddings,
  without_vector,
}: Pick<ReindexResponse, 'embeddings' | 'without_vector'>): readonly string[] {
  const lines = embeddings === undefined ? [] : [embeddingLine(embeddings)];
  for (const [field, rows] of Object.entries(without_vector ?? {})) {
    lines.push(`${plural(rows, 'row')} without a vector in ${field}`);
  }
  return lines;
}

const SKIPPED_SHOWN = 3;

/** Lines about rows that have no document; none if every row has one. */
export function skippedLines({
  skipped_rows: all,
  first_skipped_rows: first = [],
}: SkippedRows): readonly string[] {
  if (all === undefined) return [];
  const shown = first.slice(0, SKIPPED_SHOWN).map(({ key, file, position, reason }) => {
    const name = key === undefined ? '' : `${key}: `;
    return `  ${printable(`${name}${reason} (row ${position} of ${file})`)}`;
  });
  const more = all - shown.length;
  return [
    `${plural(all, 'row')} without a document, because a value cannot be indexed`,
    ...shown,
    ...(more > 0 ? [`  … ${count(more)} more`] : []),
  ];
}

/** `embeddings  423,391 computed, 20,299 reused`. */
export function embeddingLine({ computed, reused }: { computed: number; reused: number }): string {
  return `embeddings  ${count(computed)} computed, ${count(reused)} reused`;
}
