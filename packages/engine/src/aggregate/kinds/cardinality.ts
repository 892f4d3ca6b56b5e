/** The number of distinct values of a field. */
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Aggregation, AggregationKind } from '../aggregation.ts';
import { countKeys, type PartCounts } from '../count/choose-buckets.ts';
import { CodeCounting } from '../count/code-counting.ts';
import { fieldValues } from '../count/coder.ts';
import {
  addDistinct,
  type Distinct,
  distinctCount,
  mergeDistinct,
  noDistinct,
} from '../figures/distinct.ts';
import { STANDARD_ERROR } from '../figures/hyperloglog.ts';
import { OwnerTask } from '../owner-task.ts';
import type { AggregationRun } from '../task.ts';

/** `counted`: the number of distinct values of all documents, not to be merged. */
type DistinctPartial = Distinct | { readonly counted: number };

/** `cardinality: {field}`. */
export const CARDINALITY_KIND: AggregationKind = {
  buckets: 'none',
  read: ({ nested, options, field }) => distinctValues(nested.name, field(options(['field']))),
};

function distinctValues(name: string, field: FieldPlan): Aggregation<DistinctPartial> {
  const self: Aggregation<DistinctPartial> = {
    name,
    figures: [{ text: name, value: countOf }],
    collect(run, parts, owners) {
      const values = parts.map(({ scope }) => fieldValues(scope.reader, field));
      const counting = CodeCounting.of(parts, values, owners, { name });
      if (counting === null) return new OwnerTask(run, self, parts, owners);
      const partials = () =>
        Array.from({ length: owners }, (_, owner) => distinctOf(counting.counted(owner), run));
      return { collectors: counting.collectors, partials };
    },
    empty: noDistinct,
    merge(into, other) {
      if ('counted' in into || 'counted' in other) throw new TypeError('a final count was merged');
      mergeDistinct(into, other);
    },
    finish(partial) {
      const value = countOf(partial);
      if ('counted' in partial || partial.values !== null) return { value, exact: true };
      return { value, exact: false, standard_error: Number(STANDARD_ERROR.toFixed(4)) };
    },
  };
  return self;
}

const countOf = (partial: DistinctPartial): number =>
  'counted' in partial ? partial.counted : distinctCount(partial);

function distinctOf(parts: readonly PartCounts[], { final, deadline }: AggregationRun) {
  if (final) return { counted: countKeys(parts, deadline) };
  const distinct = noDistinct();
  for (const { values, counts } of parts) {
    counts.counts.forEach((count, at) => {
      if (count === 0) return;
      deadline.spend(1);
      addDistinct(distinct, values.key(counts.codes === null ? at : counts.codes[at]));
    });
  }
  return distinct;
}
