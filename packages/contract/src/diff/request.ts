import type { IndexRequest } from '../index-request.ts';
import type { SearchRequest } from '../search/request.ts';

/**
 * `POST /v1/index:diff`: the hits of one search at two moments of an index. A side is `now`, the id
 * of a snapshot, a branch or tag of the table, `generation:N`, `pit:ID`, or `index:NAME`, which is
 * another index of the table.
 */
export interface DiffRequest
  extends IndexRequest,
    Pick<SearchRequest, 'query' | 'ast' | 'syntax' | 'default_operator' | 'filter'> {
  readonly from: string;
  /** Default: `now`. */
  readonly to?: string | undefined;
  /** Hits of each side that are compared; 10 by default. */
  readonly limit?: number | undefined;
  /** Only resolve the sides: the response says what would be built, and compares nothing. */
  readonly plan?: boolean | undefined;
}
