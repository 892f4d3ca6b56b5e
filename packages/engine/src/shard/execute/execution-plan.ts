import type { Deadline } from '../../base/time/deadline.ts';
import type { CollapsedDoc } from '../../collect/collapse.ts';
import type { RankedDoc, SearchAfter, SortKey, SortValue } from '../../collect/order.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { FieldFigures } from '../../query/weight/statistics.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { WindowLayout } from '../../schema/windows.ts';
import type { DocAddress } from '../shard.ts';
import type { FilterCache } from './filter-cache.ts';

/** What to find, and how much of it. */
export interface ExecutionPlan {
  readonly clause: Clause;
  readonly filter: Clause | null;
  /** What every hit has to match besides (request/tenant-filter.ts). */
  readonly tenantFilter: Clause | null;
  readonly order: readonly SortKey[];
  readonly collapse: FieldPlan | null;
  /** 0: only the total. */
  readonly limit: number;
  readonly after: SearchAfter | null;
  /** So many of the first documents may be left out of the answer. */
  readonly skip?: number;
  /** false: the total is not needed, and 0 where it costs more than the page. */
  readonly total: boolean;
  /** Only the groups of these values. */
  readonly groups?: readonly SortValue[];
  /** Figures of all shards; null: the segments are the whole index. */
  readonly statistics: readonly FieldFigures[] | null;
  /** How the index is cut into windows; null: it has none. */
  readonly windows: WindowLayout | null;
  /** Matches of filters that were computed before. */
  readonly filters: FilterCache | null;
  readonly deadline: Deadline;
  /** Demands what a page of these documents shows. */
  demandPage?(docs: readonly DocAddress[]): void;
}

/**
 * The first documents in order (groups, when collapsed), and the exact number of matching
 * documents.
 */
export interface Execution {
  readonly docs: readonly (RankedDoc | CollapsedDoc)[];
  readonly total: number;
  /** First documents that were left out; absent: none. */
  readonly skipped?: number;
}
