import { join } from 'node:path';
import type { Type } from '../../schema/type.ts';
import type { InputFile, InputFormat, InputKind } from '../input/input-files.ts';
import type { ReadingOptions } from '../input/reading-options.ts';
import type { JsonRows } from './json-rows.ts';

/** Files for DuckDB, with the results of the conversion. */
export interface ConvertedInput {
  readonly files: readonly InputFile[];
  readonly format: InputFormat;
  /** The types of columns that the files name. */
  readonly types?: ReadonlyMap<string, Type>;
  /** How they are read, unless the caller says otherwise. */
  readonly options?: ReadingOptions;
  readonly changedKeys?: ChangedKeys;
  /** Whether rows of JSON are members of an object, with the column `key`. */
  readonly isKeyed?: boolean;
  readonly reading: ConvertedReading;
}

/** The changes to the keys of JSON. */
export interface ChangedKeys {
  /** Names of `rename` and `types` that are done. */
  readonly used: ReadonlySet<string>;
  /** Those of `types` that are no columns. */
  readonly inner: readonly string[];
  /** Columns whose values are JSON texts, as texts. */
  readonly jsonTexts: ReadonlySet<string>;
}

/** What conversion says about an input. */
export interface ConvertedReading {
  readonly kind: InputKind;
  /** Absent: UTF-8, or not a text. */
  readonly encoding?: { readonly label: string; readonly isGuess: boolean };
  /** How many comments in CSV are left out. */
  readonly comments?: { readonly lines: number } | undefined;
  /** Where the rows of a JSON text are, if they are not its values. */
  readonly rows?: JsonRows;
  /** What lines are, and how many do not fit. */
  readonly lines?: {
    readonly as: string;
    readonly unmatched: number;
    /** Whether plain lines look like CSV. */
    readonly isLikeCsv?: true;
    /** A pattern of grok that plain lines fit. */
    readonly grok?: string;
    /** Whether nothing in the rows says which of several files they are from. */
    readonly isMixed?: true;
  };
  /** Files of an archive that are no data. */
  readonly leftOut?: readonly string[];
  /** The worksheet that is read, the others, and the row of the names. */
  readonly sheet?: {
    readonly name: string;
    readonly others: readonly string[];
    readonly header: number;
  };
}

/** What a conversion needs besides its files. */
export interface Conversion {
  readonly options: ReadingOptions;
  readonly formatVersion: number;
  /** The memory of the writer. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal;
  /** A new path in the work folder, with this ending. */
  readonly newPath: (ending: string) => string;
}

/** `newPath` of a folder. */
export function pathsIn(folder: string): Conversion['newPath'] {
  let count = 0;
  return (ending) => join(folder, `converted-${count++}${ending}`);
}
