/** `lhs index reindex INDEX --window WINDOW`. */
export interface ReindexWindowRequest {
  readonly index?: string;
  /** The name of a window, as `windowStatus` lists it. */
  readonly window: string;
}
