import type { Json, JsonObject } from '@lakehouse-search/contract';
import type { FieldTable } from './field-table.ts';

/** A clause of our query tree. */
export type Tree = JsonObject;

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
