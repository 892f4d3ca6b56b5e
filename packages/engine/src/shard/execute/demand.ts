/**
 * What a search will read of cold segments, demanded before it runs, so that all of it is fetched
 * at once. It need not be everything: what is missing is demanded when it is read.
 */
import type { SortKey } from '../../collect/order.ts';
import { BIG } from '../../postings/term-info.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { allParts, exactTerms, isCompoundModule, moduleOf } from '../../query/clauses/registry.ts';
import type { TermsOfField } from '../../query/weight/statistics.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { WindowLayout } from '../../schema/windows.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { collectDemands } from '../../storage/cold-file.ts';
import { reachableSegments } from './reachable.ts';

/** The parts of a request that say what is read. */
export interface DemandingPlan {
  readonly clauses: readonly Clause[];
  readonly order?: readonly SortKey[];
  readonly collapse?: FieldPlan | null;
  /** Documents of the page; absent: none. */
  readonly limit?: number;
}

/**
 * Demands what a plan reads of the cold segments that it reaches. `component`: one that was missing
 * as a whole in some segment, which is demanded of all of them.
 */
export function demandFor(
  segments: readonly SegmentReader[],
  windows: WindowLayout | null,
  plan: DemandingPlan,
  component: string | null,
): void {
  const { clauses, order = [], collapse = null } = plan;
  const reachable = reachableSegments(windows, clauses);
  const { limit = 0 } = plan;
  const isByKey = keysDecide(plan);
  for (const segment of segments) {
    if (!segment.isCold || !reachable(segment)) continue;
    for (const clause of clauses) demandClause(segment, clause);
    if (isByKey) collectDemands(() => void segment.keys.ranks);
    if (limit > 0) demandPlaces(segment);
    for (const key of order) if (key.kind === 'field') segment.demandColumn(key.field);
    if (collapse !== null) segment.demandColumn(collapse);
    if (component !== null) segment.demandFiles(component);
  }
}

/** Whether the order of keys decides which documents come first: all have one score, or groups. */
function keysDecide({ clauses, order = [], collapse = null, limit = 0 }: DemandingPlan): boolean {
  if (limit === 0) return false;
  const isByScore = order.every(({ kind }) => kind === 'score');
  return collapse !== null || (isByScore && !clauses.slice(0, 1).some(differsByScore));
}

/** Whether documents have different scores. */
function differsByScore(clause: Clause): boolean {
  const module = moduleOf(clause);
  if (isCompoundModule(module)) return allParts(clause).some(differsByScore);
  return module.scoresWords === true || clause.kind === 'precomputed';
}

/** Demands what says where the keys of documents are. */
export function demandPlaces({ keys }: SegmentReader): void {
  collectDemands(() => keys.demandPlaces?.());
}

/** Demands what says in how many documents terms are. */
export function demandFrequencies(
  segments: readonly SegmentReader[],
  fields: readonly TermsOfField[],
): void {
  for (const segment of segments) {
    for (const { field, terms } of fields) {
      for (const term of terms) collectDemands(() => void segment.inverted(field)?.frequency(term));
    }
  }
}

function demandClause(segment: SegmentReader, clause: Clause): void {
  const module = moduleOf(clause);
  if (isCompoundModule(module)) {
    for (const part of allParts(clause)) demandClause(segment, part);
  } else if ('field' in clause) {
    demandTerms(segment, clause.field, exactTerms(clause));
    collectDemands(() => module.demand?.(clause, segment));
  }
}

function demandTerms(
  segment: SegmentReader,
  { id }: FieldPlan,
  terms: readonly Uint8Array[],
): void {
  for (const term of terms) {
    collectDemands(() => {
      const inverted = segment.inverted(id);
      const info = inverted?.lookup(term);
      if (info?.kind === BIG) inverted?.big(info);
    });
  }
}
