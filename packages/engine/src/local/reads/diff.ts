import type { CallContext, DiffRequest, DiffResponse, DiffSide } from '@lakehouse-search/contract';
import { checkDiffRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import { compareSides, type SearchedSide } from '../../diff/compare-sides.ts';
import { findSide } from '../../diff/find-side.ts';
import { notesOfSides, type RowSide, rowStates } from '../../diff/row-states.ts';
import { requireSameRestrictions } from '../../index/commits/source-identity.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { definitionDigest } from '../../schema/definition-digest.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { openTableOf, timed } from '../writes/write-index.ts';
import { type OpenSide, openSide, type SideSource, sideContext, sidePlaces } from './diff-side.ts';

const PAGE = 10;

/** Compares the hits of one search at two moments. Throws as `findSide` and a search do. */
export async function diffLocal(
  indexes: LocalIndexes,
  value: DiffRequest,
  call: CallContext,
): Promise<DiffResponse> {
  const { from, to = 'now', limit = PAGE, plan = false, index, ...match } = checkDiffRequest(value);
  const known = accessible(indexes, index, call);
  const search = checkSearchRequest({ ...match, limit, fields: [] });
  return timed(async () => {
    const table = await openTableOf(known, call.signal);
    const source: SideSource = { indexes, known, table };
    const open: OpenSide[] = [];
    try {
      const places = sidePlaces(source, call);
      for (const name of [from, to]) {
        open.push(await openSide(source, findSide(places, name), plan, call));
      }
      const [a, b] = open;
      for (const { open: at } of open) {
        requireSameRestrictions(at?.snapshot.checkpoint ?? null, table, known.registered.name);
      }
      const notes = notesOfSides(table, open);
      const answer = { index: known.registered.name, notes };
      if (plan) return { ...answer, from: a.side, to: b.side, same: 0, hits: [] };
      const rows = { from: rowSide(a), to: rowSide(b) };
      // a diff may take longer than one query: each of its searches has a time of its own
      const { signal } = call;
      const searched = ({ side, open: at }: OpenSide): SearchedSide => ({
        context: () => sideContext(source, at!, table, signal === undefined ? {} : { signal }),
        definitionVersion: comparedVersion(indexes, known, side),
      });
      const compared = await compareSides({
        ...{ search, from: searched(a), to: searched(b) },
        rows: (keys) => rowStates(table, mappingOver(known.definition, table), rows, keys),
      });
      const { totals, same, hits } = compared;
      const sides = {
        from: { ...a.side, total: totals.from },
        to: { ...b.side, total: totals.to },
      };
      return { ...answer, ...sides, same, hits };
    } finally {
      for (const { close } of open) close();
      await table.close();
    }
  });
}

/** The version of a side's definition; that of the index for another one with equal settings. */
function comparedVersion(
  indexes: LocalIndexes,
  { definition, registered }: KnownIndex,
  { definition_version: own, index }: DiffSide,
): number {
  if (index === undefined) return own;
  const { source, storage } = definition;
  const other = { ...indexes.known(index).definition, index: definition.index, source, storage };
  return definitionDigest(other) === definitionDigest(definition) ? registered.version : -1;
}

const rowSide = ({ open, snapshotId }: OpenSide): RowSide => {
  return { index: open!.snapshot, snapshotId };
};
