/** `lhs index reindex INDEX --window WINDOW`. */
export interface ReindexWindowRequest {
  readonly index?: string | undefined;
  /** The name of a window, as `windowStatus` lists it. */
  readonly window: string;
}

/** `lhs index windows INDEX --cool W --warm W --apply`. */
export interface MoveWindowsRequest {
  readonly index?: string | undefined;
  /** Windows whose files are moved to the object store. */
  readonly cool?: readonly string[] | undefined;
  /** Windows whose files are moved back. */
  readonly warm?: readonly string[] | undefined;
  /** Also put every window into the tier that the definition says (`windows.hot`). */
  readonly apply?: boolean | undefined;
}
