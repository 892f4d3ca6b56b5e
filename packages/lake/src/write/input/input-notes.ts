/** A column that stays text, or a whole number, although its values look like another type. */
export interface NearlyTyped {
  readonly column: string;
  readonly kind: 'number' | 'boolean' | 'date' | 'timestamp' | 'time' | 'address';
  /** Set if the column has whole numbers, not texts. */
  readonly isWhole?: true;
  /** Values that are not NULL, and those of them that are of the kind. */
  readonly values: number;
  readonly fitting: number;
  /** The most frequent of the other values, at most four. */
  readonly exceptions: readonly string[];
  /** Set if the values need a type that is named, a decimal comma or a format of dates. */
  readonly type?: 'double' | 'boolean' | undefined;
  readonly decimal?: ',';
  readonly dateFormats?: readonly string[];
}

/** A column of JSON that is text because its values are of several types, some of them lists. */
export interface ListsAsText {
  readonly column: string;
  /** Values that are not NULL, and those of them that are lists. */
  readonly values: number;
  readonly lists: number;
}

/** Lines of CSV that were left out. */
export interface SkippedLines {
  readonly count: number;
  /** The first of them, at most three. */
  readonly first: readonly {
    readonly file: string;
    readonly line: number;
    readonly reason: string;
  }[];
}

/** Columns whose objects have too many different keys: each value is JSON. */
export interface WideObjects {
  readonly columns: readonly string[];
}

/** What a reader of an input should know about one of its columns that is text. */
export type TextNote =
  | ({ readonly note: 'nearly_typed' } & NearlyTyped)
  | ({ readonly note: 'lists_as_text' } & ListsAsText);

/** What a reader of an input should know about it. */
export type InputNote =
  | TextNote
  | ({ readonly note: 'wide_objects' } & WideObjects)
  | ({ readonly note: 'skipped_lines' } & SkippedLines);
