import type { FieldPlan } from '../schema/field-plan.ts';
import { appendHashRun, columnIds, type HashRun, NO_COLUMNS } from '../schema/hash-set.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';

/** Documents of a segment from the end of the run before, and the columns that they lack. */
export interface UncoveredRun {
  /** The document after the last one. */
  readonly end: number;
  /** Identities of columns that the row hashes do not cover, in ascending order of field ids. */
  readonly columns: readonly string[];
}

/** What a segment lacks of the fields of its commit. */
export interface MissingParts {
  /** Fields of which a structure is missing; they have none at all. */
  readonly plans: readonly FieldPlan[];
  readonly runs: readonly UncoveredRun[];
  /** The row hashes of some documents do not cover a column. */
  readonly uncovered: boolean;
}

/** What a segment lacks of fields, and of row hashes over columns (Iceberg field ids). */
export function missingParts(
  reader: SegmentReader,
  plans: readonly FieldPlan[],
  columns: readonly number[],
): MissingParts {
  const wanted = columns.toSorted((a, b) => a - b);
  let end = 0;
  const runs = hashRuns(reader).map((run): UncoveredRun => {
    end += run.docs;
    const covered = new Set(columnIds(run));
    return { end, columns: wanted.filter((id) => !covered.has(id)).map(String) };
  });
  const uncovered = runs.some((run) => run.columns.length > 0);
  return { plans: plans.filter((plan) => isMissing(reader, plan)), runs, uncovered };
}

/** The runs of a segment with the columns that they lacked added. */
export function coveredRuns(reader: SegmentReader, { runs }: MissingParts): readonly HashRun[] {
  const covered: HashRun[] = [];
  hashRuns(reader).forEach((run, i) => {
    const columns = [...run.columns, ...runs[i].columns].sort((a, b) => idOf(a) - idOf(b));
    appendHashRun(covered, { ...run, columns }, run.docs);
  });
  return covered;
}

const idOf = (identity: string): number => Number.parseInt(identity, 10);

const hashRuns = ({ entry, docs }: SegmentReader): readonly HashRun[] =>
  entry.hashed ?? [{ docs, ...NO_COLUMNS }];

function isMissing(reader: SegmentReader, { id, inverted, column, stored, vector }: FieldPlan) {
  const { components } = reader.entry;
  const lacks = (wanted: string) =>
    !components.some(({ kind, field }) => kind === wanted && field === id);
  return (
    (inverted !== null && lacks(inverted.kind)) ||
    (column !== null && lacks(column)) ||
    (vector !== undefined && lacks('vector')) ||
    (stored && !reader.storedGroups().some(({ fields }) => fields.includes(id)))
  );
}
