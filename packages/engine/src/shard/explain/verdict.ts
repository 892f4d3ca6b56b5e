/**
 * A query's tree on one document. Every node is judged alone and keeps its place in the user's
 * query; nothing is rewritten, so that the scores of the parts stand beside the clauses that they
 * come from. Matching and scores are those of query/bind and query/weight: a bool sums what matches
 * of must and should; filter and must_not score nothing; clauses that the analyzer left nothing of
 * vanish from their bool.
 */
import type { ExplainDetail } from '@lakehouse-search/contract';
import { bindNode, neededShould } from '../../query/bind/bind.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { constantDetail, demotedDetail, maxDetail, sumDetail } from '../../query/explain/detail.ts';
import { explainClause } from '../../query/explain/explain-clause.ts';
import type { Query } from '../../query/query.ts';
import { escapeField } from '../../query/syntax/characters.ts';
import { clauseName, type Subject } from './subject.ts';

export type Role = 'must' | 'should' | 'must_not' | 'filter';

/** What became of a node on the document. */
export interface Verdict {
  /** The node without the boosts around it. */
  readonly node: Query;
  readonly clause: string;
  /** The analyzer left nothing of it: it counts for nothing. At the top it matches nothing. */
  readonly vanished: boolean;
  /** Not null where the document matches it. */
  readonly detail: ExplainDetail | null;
  /** What a leaf was bound to; null for bools and where it vanished. */
  readonly bound: Clause | null;
  /** The parts of a bool, in the query's order by role. */
  readonly parts: readonly { readonly role: Role; readonly verdict: Verdict }[];
  /** How many should parts have to match; -1: more than there are. */
  readonly minimum: number;
}

/** Judges a node. Throws what binding throws. */
export function judge(node: Query, subject: Subject, boost = 1): Verdict {
  if (node.kind === 'boost') {
    const inner = judge(node.query, subject, boost * node.factor);
    return renamed(inner, clauseName(node, subject.bind.text));
  }
  if (node.kind === 'bool') return judgeBool(node, subject, boost);
  if (node.kind === 'dis_max') return judgeMax(node, subject, boost);
  if (node.kind === 'constant_score') return judgeConstant(node, subject, boost);
  if (node.kind === 'boosting') return judgeBoosting(node, subject, boost);
  const clause = clauseName(node, subject.bind.text);
  const bound = bindNode(node, boost, 0, subject.bind);
  const detail = bound === null ? null : explainClause(bound, subject, clause);
  return { node, clause, vanished: bound === null, detail, bound, parts: [], minimum: 0 };
}

/** The same under the name of the boost around it. */
function renamed(verdict: Verdict, clause: string): Verdict {
  const { detail } = verdict;
  if (detail === null) return { ...verdict, clause };
  const description = clause + detail.description.slice(detail.clause.length);
  return { ...verdict, clause, detail: { ...detail, clause, description } };
}

/** A bare word of several fields under the name of its field. */
function inFieldOf({ span }: Query, verdict: Verdict): Verdict {
  const { node, clause } = verdict;
  const isPart = span !== undefined && node.span?.from === span.from && node.span.to === span.to;
  if (!isPart || !('field' in node) || node.fieldSpan !== undefined) return verdict;
  return renamed(verdict, `${escapeField(node.field)}:${clause}`);
}

function judgeBool(
  node: Query & { readonly kind: 'bool' },
  subject: Subject,
  boost: number,
): Verdict {
  const clause = clauseName(node, subject.bind.text);
  const as = (role: Role, list: readonly Query[], factor: number) =>
    list.map((part) => ({ role, verdict: inFieldOf(node, judge(part, subject, factor)) }));
  const all = [
    ...as('must', node.must, boost),
    ...as('filter', node.filter, 1),
    ...as('should', node.should, boost),
    ...as('must_not', node.must_not, 1),
  ];
  const parts = all.filter(({ verdict }) => !verdict.vanished);
  const vanished = all.length > 0 && parts.length === 0;
  const given = (...roles: readonly Role[]) => parts.filter(({ role }) => roles.includes(role));
  const required = given('must', 'filter').length;
  const optional = given('should').length;
  const minimum = vanished ? 0 : neededShould(node, required, optional, subject.bind);
  const matched = !vanished && boolMatches(parts, minimum);
  const detail = matched ? boolDetail(clause, parts) : null;
  return { node, clause, vanished, detail, bound: null, parts, minimum };
}

function judgeMax(
  node: Query & { readonly kind: 'dis_max' },
  subject: Subject,
  boost: number,
): Verdict {
  const clause = clauseName(node, subject.bind.text);
  const all = node.queries.map((part) => judge(part, subject, boost));
  const left = all.filter((verdict) => !verdict.vanished);
  const details = left.map(({ detail }) => detail).filter((detail) => detail !== null);
  const parts = left.map((verdict) => ({ role: 'should' as const, verdict }));
  const vanished = all.length > 0 && left.length === 0;
  const detail = maxDetail(clause, details, node.tie_breaker);
  return { node, clause, vanished, detail, bound: null, parts, minimum: 1 };
}

function judgeConstant(
  node: Query & { readonly kind: 'constant_score' },
  subject: Subject,
  boost: number,
): Verdict {
  const clause = clauseName(node, subject.bind.text);
  const verdict = judge(node.filter, subject);
  const detail = verdict.detail === null ? null : constantDetail(clause, boost);
  const { vanished } = verdict;
  const parts = [{ role: 'filter' as const, verdict }];
  return { node, clause, vanished, detail, bound: null, parts, minimum: 0 };
}

function judgeBoosting(
  node: Query & { readonly kind: 'boosting' },
  subject: Subject,
  boost: number,
): Verdict {
  const clause = clauseName(node, subject.bind.text);
  const verdict = judge(node.positive, subject, boost);
  const { detail: own, vanished } = verdict;
  const demoted = own !== null && judge(node.negative, subject).detail !== null;
  const detail = demoted ? demotedDetail(clause, own, node.negative_boost) : own;
  const parts = [{ role: 'must' as const, verdict }];
  return { node, clause, vanished, detail, bound: null, parts, minimum: 0 };
}

function boolMatches(parts: Verdict['parts'], minimum: number): boolean {
  const fits = ({ role, verdict }: Verdict['parts'][number]): boolean => {
    if (role === 'should') return true;
    return (verdict.detail !== null) === (role !== 'must_not');
  };
  const optional = parts.filter(({ role, verdict }) => role === 'should' && verdict.detail);
  return minimum >= 0 && optional.length >= minimum && parts.every(fits);
}

/** What scores, and, with 0, what only had to match or had not to. */
function boolDetail(clause: string, parts: Verdict['parts']): ExplainDetail {
  const details = parts.flatMap(({ role, verdict }): ExplainDetail[] => {
    const { detail } = verdict;
    if (role === 'must_not') return [silent(verdict.clause, 'does not match, as required')];
    if (detail === null) return [];
    return role === 'filter'
      ? [silent(verdict.clause, 'matches; a filter does not score')]
      : [detail];
  });
  return sumDetail(clause, details);
}

/** A clause that takes part in matching alone. */
export function silent(clause: string, why: string): ExplainDetail {
  return { description: `${clause}: ${why}`, score: 0, details: [], clause };
}
