import type { Json, QueryTree } from '@lakehouse-search/contract';
import type { FieldTable } from './field-table.ts';

/** A clause of our query tree. */
export type Tree = QueryTree;

/** What translators of single queries share. */
export interface QueryScope {
  readonly fields: FieldTable;
  /** The tree of a query inside of another. Throws RefusedDsl. */
  inner(dsl: Json): Tree;
}

/** Translates the body of one query. Throws RefusedDsl. */
export type Translator = (body: Json, scope: QueryScope, name: string) => Tree;

/** Finds every document. */
export const MATCH_ALL: Tree = Object.freeze({ match_all: {} });
/** Finds no document. */
export const MATCH_NONE: Tree = Object.freeze({ match_none: {} });

/** `tree` with its scores multiplied. */
export const boosted = (tree: Tree, factor: number): Tree =>
  factor === 1 ? tree : { boost: { query: tree, factor } };

/** The best of some trees, and the others times `tie`; the tree itself of one. */
export function bestOf(trees: readonly Tree[], tie: number): Tree {
  if (trees.length === 0) return MATCH_NONE;
  if (trees.length === 1) return trees[0];
  return { dis_max: { queries: trees, ...(tie > 0 && { tie_breaker: tie }) } };
}

/** The matches of any of some trees, each with the score 1. */
export function constantOf(trees: readonly Tree[]): Tree {
  if (trees.length === 0) return MATCH_NONE;
  return {
    constant_score: { filter: trees.length === 1 ? trees[0] : { bool: { should: trees } } },
  };
}
