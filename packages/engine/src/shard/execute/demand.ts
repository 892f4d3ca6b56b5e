/**
 * What a search will read of cold segments, demanded before it runs, so that all of it is fetched
 * at once. It need not be everything: what is missing is demanded when it is read.
 */
import type { SortKey } from '../../collect/order.ts';
import { BIG } from '../../postings/term-info.ts';
import { allParts, type Clause } from '../../query/bind/clause.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { WindowLayout } from '../../schema/windows.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { reachableSegments } from './reachable.ts';

/** The parts of a request that say what is read. */
export interface DemandingPlan {
  readonly clauses: readonly Clause[];
  readonly order?: readonly SortKey[];
  readonly collapse?: FieldPlan | null;
}

/**
 * Demands what a plan reads of the cold segments that it reaches. `component`: one that was missing
 * in some segment, which is demanded of all of them.
 */
export function demandFor(
  segments: readonly SegmentReader[],
  windows: WindowLayout | null,
  { clauses, order = [], collapse = null }: DemandingPlan,
  component: string | null,
): void {
  const reachable = reachableSegments(windows, clauses);
  for (const segment of segments) {
    if (!segment.isCold || !reachable(segment)) continue;
    for (const clause of clauses) demandClause(segment, clause);
    for (const key of order) if (key.kind === 'field') demandColumn(segment, key.field);
    if (collapse !== null) demandColumn(segment, collapse);
    if (component !== null && !/^(text|keyword|stored)/.test(component)) {
      segment.demandFiles(component);
    }
  }
}

function demandColumn(segment: SegmentReader, { id, column }: FieldPlan): void {
  if (column !== null) segment.demandFiles(`${column}/${id}`);
}

function demandClause(segment: SegmentReader, clause: Clause): void {
  switch (clause.kind) {
    case 'bool':
    case 'max':
    case 'demoted':
      for (const part of allParts(clause)) demandClause(segment, part);
      return;
    case 'term':
      demandTerms(segment, clause.field, [clause.term]);
      return;
    case 'set':
      demandTerms(segment, clause.field, clause.terms);
      return;
    case 'phrase':
    case 'phrase_prefix':
      demandTerms(
        segment,
        clause.field,
        clause.words.map(({ term }) => term),
      );
      return;
    case 'numbers':
    case 'span':
    case 'exists':
      demandColumn(segment, clause.field);
  }
}

function demandTerms(
  segment: SegmentReader,
  { id }: FieldPlan,
  terms: readonly Uint8Array[],
): void {
  const inverted = segment.inverted(id);
  for (const term of terms) {
    const info = inverted?.lookup(term);
    if (info?.kind === BIG) inverted?.big(info);
  }
}
