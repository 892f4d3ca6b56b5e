/** Another name of an index. */
export interface Alias {
  readonly alias: string;
  readonly index: string;
}

/** The alias to take out; its index stays. */
export interface DropAliasRequest {
  readonly alias: string;
}
