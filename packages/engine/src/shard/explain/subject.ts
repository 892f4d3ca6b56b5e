import type { BindScope } from '../../query/bind/scope.ts';
import type { Query } from '../../query/query.ts';
import { printQuery } from '../../query/syntax/print.ts';
import type { SnapshotStatistics } from '../../query/weight/statistics.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { DocumentContents } from './contents.ts';
import type { Elsewhere } from './elsewhere.ts';

/** The document that an explanation is about, and what is needed to judge clauses on it. */
export interface Subject {
  readonly mapping: Mapping;
  readonly reader: SegmentReader;
  /** Its number in the segment. */
  readonly doc: number;
  readonly contents: DocumentContents;
  /** Those that a search scores by. */
  readonly statistics: SnapshotStatistics;
  /** How the query's nodes are bound; its text is the query string that they came from. */
  readonly bind: BindScope;
  /** The caller has a tenant: nothing is said of what other documents hold. */
  readonly guarded: boolean;
  readonly elsewhere: Elsewhere;
}

/** A clause as the user wrote it; one that came as a tree is printed. */
export function clauseName(node: Query, text: string | null): string {
  if (text !== null && node.span !== undefined) return text.slice(node.span.from, node.span.to);
  if (node.kind === 'knn') return `${node.field}~${nearTo(node)}`;
  if (node.kind === 'match') return `${node.field}:(${node.value})`;
  return printQuery(node) ?? node.kind;
}

function nearTo({ query_text, query_vector }: Query & { readonly kind: 'knn' }): string {
  if (query_vector !== undefined) return `[${query_vector.length} numbers]`;
  const text = query_text ?? '';
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** A whole number as people read it: `446,015`. */
export const whole = (value: number): string => value.toLocaleString('en-US');

/** A figure of a score: two decimals, more for small ones. */
export function figure(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.1) return String(Number(value.toPrecision(2)));
  return value.toFixed(2);
}
