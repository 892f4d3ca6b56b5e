/**
 * Which columns a row hash covers (documents/row-hash.ts). A column is named by its Iceberg field
 * id, as text, so that a rename changes nothing.
 */

/** The columns of a row hash. */
export interface HashSet {
  /**
   * Field ids that are hashed together in one pass, as format 1 did: one more addend. Absent: none.
   */
  readonly whole?: readonly number[];
  /** Columns whose hashes are added up, in ascending order of their field ids. */
  readonly columns: readonly string[];
}

/** A run of documents whose row hashes cover the same columns. */
export interface HashRun extends HashSet {
  /** Number of documents. */
  readonly docs: number;
}

/** The set of documents about whose row hashes nothing is recorded. */
export const NO_COLUMNS: HashSet = Object.freeze({ columns: Object.freeze([]) });

/** One text per set: equal sets have equal texts. */
export function hashSetText({ whole, columns }: HashSet): string {
  return `${whole === undefined ? '' : `${whole.join()}+`}${columns.join()}`;
}

/** Iceberg field ids of the columns of a set. */
export const columnIds = ({ whole = [], columns }: HashSet): readonly number[] => [
  ...whole,
  ...columns.map((identity) => Number.parseInt(identity, 10)),
];

/** Appends documents to runs; neighbors with one set are one run. */
export function appendHashRun(runs: HashRun[], set: HashSet, docs: number): void {
  if (docs === 0) return;
  const last = runs.at(-1);
  if (last !== undefined && hashSetText(last) === hashSetText(set)) {
    runs[runs.length - 1] = { ...last, docs: last.docs + docs };
    return;
  }
  const { whole, columns } = set;
  runs.push({ docs, ...(whole === undefined ? {} : { whole }), columns });
}

/** The number of the run that a document belongs to. */
export function runOf(runs: readonly HashRun[], doc: number): number {
  let run = 0;
  let end = runs[0].docs;
  while (doc >= end && run + 1 < runs.length) end += runs[++run].docs;
  return run;
}
