/**
 * What a sync rests on, besides documents: the checkpoint's file set must be the table's at that
 * snapshot, and every live document must lie in one of its files. Where it does not, the next sync
 * would miss changes.
 */

import type { SourceFile } from '@lakehouse-search/contract';
import { normalizeRecorded } from '@lakehouse-search/lake/internal';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { committedState, sourceState } from '../sync/source-state.ts';
import type { ComparedSides } from './sides.ts';

/** Faults of the checkpoint. Its files are compared where the sides are at its own snapshot. */
export function checkpointFaults(snapshot: IndexSnapshot, sides: ComparedSides): readonly string[] {
  const { table, set, schema, mapping, places } = sides;
  if (!places) return placeFaults(snapshot, sides);
  const own = committedState(snapshot.commit, mapping.definition.index);
  const theirs = sourceState(table, set, schema, undefined);
  const known = new Map(own.files.map((file) => [normalizeRecorded(file.path), textOf(file)]));
  const differing = theirs.files.filter((file) => {
    const name = normalizeRecorded(file.path);
    const same = known.get(name) === textOf(file);
    known.delete(name);
    return !same;
  });
  const wrong = differing.length + known.size;
  if (wrong === 0) return [];
  const what = wrong === 1 ? '1 file differs' : `${wrong} files differ`;
  return [`the checkpoint does not hold the table's files of its snapshot: ${what}`];
}

function textOf({ records, sequence, deletes }: SourceFile): string {
  const refs = deletes.map(
    ({ path, offset, length }) => `${normalizeRecorded(path)} ${offset ?? ''} ${length ?? ''}`,
  );
  return JSON.stringify([records, sequence, refs.sort()]);
}

/** Live documents whose places no file of the checkpoint has. */
function placeFaults({ files }: IndexSnapshot, { docs }: ComparedSides): readonly string[] {
  const records = files.all().map(({ entries }) => entries.at(-1)?.records ?? 0);
  let lost = 0;
  docs.forEachRun((doc, count, file, first) => {
    const inside = (records[file] ?? 0) - first;
    for (let i = Math.max(0, inside); i < count; i++) if (docs.isLive(doc + i)) lost++;
  });
  if (lost === 0) return [];
  return [`documents that name rows which no file of the checkpoint has: ${lost}`];
}
