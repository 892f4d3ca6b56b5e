import type { BindScope } from '../../query/bind/scope.ts';
import type { ExplainedDoc } from '../../query/clauses/module.ts';
import type { Query } from '../../query/query.ts';
import { printQuery } from '../../query/syntax/print.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { DocumentContents } from './contents.ts';
import type { Elsewhere } from './elsewhere.ts';

/** The document that an explanation is about, and what is needed to judge clauses on it. */
export interface Subject extends ExplainedDoc {
  readonly mapping: Mapping;
  readonly contents: DocumentContents;
  /** How the query's nodes are bound; its text is the query string that they came from. */
  readonly bind: BindScope;
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
