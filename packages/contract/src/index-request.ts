/** An operation on one index that takes nothing else. */
export interface IndexRequest {
  /** An index or an alias; may be left out if there is one index. */
  readonly index?: string | undefined;
}

/** A list of everything: it has no fields yet. */
export type ListRequest = { readonly [field: string]: never };
