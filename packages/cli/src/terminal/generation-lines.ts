import type { GenerationDescription, IndexStatus, MergeFailure } from '@lakehouse-search/contract';
import { nextSync } from './errors/next-step.ts';
import { bytes, dateTime, plural, snapshotName } from './figures.ts';
import { printable } from './text.ts';

/** A line for each kept generation of an index: how long it stays, and whether it is current. */
export function keptLines(generations: readonly GenerationDescription[] = []): readonly string[] {
  return generations.filter(({ state }) => state === 'kept').map(keptLine);
}

function keptLine(kept: GenerationDescription): string {
  const { generation, until, snapshot, num_docs, fallen_behind: fault } = kept;
  const time = until === undefined ? 'until newer ones replace it' : `until ${dateTime(until)}`;
  const at = snapshot === null ? '' : `, snapshot ${snapshotName(snapshot)}`;
  const behind = fault === undefined ? '' : `; has fallen behind: ${printable(fault.message)}`;
  const size = `${plural(num_docs, 'row')}, ${bytes(kept.bytes)}`;
  return `generation ${generation} kept ${time}, ${size}${at}${behind}`;
}

/** Since when and why merges fail, behind the word "merges". */
export const failureWords = ({ since, message }: MergeFailure): string =>
  `fail since ${dateTime(since)}: ${printable(message)}`;

/** What a description and a status have of an index that is published. */
type PublishedIndex = Pick<IndexStatus, 'index' | 'published' | 'synced_by'>;

/** Where an index is published, and up to which commit; null: nowhere. */
export function publishedWords({ index, published, synced_by }: PublishedIndex): string | null {
  if (published === undefined) return null;
  const { place, commit, snapshot, pending } = published;
  const way = synced_by === undefined ? nextSync({ index, synced_by }) : 'the next commit';
  if (commit === null) return `nowhere yet; to ${place} by ${way}`;
  const at = snapshot === null ? '' : `, snapshot ${snapshotName(snapshot)}`;
  const behind = pending ? `; the live commit is not there (${way})` : '';
  return `at ${place}, commit ${commit}${at}${behind}`;
}
