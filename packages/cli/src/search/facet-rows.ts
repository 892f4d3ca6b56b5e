import type { Facet } from '@lakehouse-search/contract';
import type { RowTable } from '../output/write-answer.ts';

/**
 * Facets as rows, one a value: `field`, `value`, `count`, and `other_count`, the documents in all
 * further values of the field. A field without values has no row.
 */
export function facetTable(facets: readonly Facet[]): RowTable {
  const columns = [
    { name: 'field', kind: 'text' as const },
    { name: 'value', kind: 'text' as const },
    { name: 'count', kind: 'long' as const },
    { name: 'other_count', kind: 'long' as const },
  ];
  const rows = facets.flatMap(({ field, buckets, other_count }) =>
    buckets.map(({ value, count }) => ({ field, value, count, other_count })),
  );
  return { columns, rows };
}
