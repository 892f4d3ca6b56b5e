import type { Query } from '../../query/query.ts';

const ALL: Query = { kind: 'match_all' };

/** A query without a clause that all its matches have; undefined: it has matches without it. */
export function withoutClause(query: Query, clause: Query): Query | undefined {
  if (query === clause) return ALL;
  if (query.kind === 'boost') return withoutClause(query.query, clause);
  if (query.kind !== 'bool') return undefined;
  for (const part of ['must', 'filter'] as const) {
    for (const [i, inner] of query[part].entries()) {
      const rest = withoutClause(inner, clause);
      if (rest !== undefined) return { ...query, [part]: query[part].with(i, rest) };
    }
  }
  return undefined;
}
