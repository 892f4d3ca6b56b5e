import type { SourceTable } from '@lakehouse-search/lake';
import { keyCandidates, type Samples } from './sample-columns.ts';

/** The key that a definition proposes, and why: a comment of one line or two. */
export interface ProposedKey {
  /** Empty: the table has no columns. */
  readonly columns: readonly string[];
  /** The table says so itself. */
  readonly isDeclared: boolean;
  readonly why: readonly string[];
}

/** Names that keys have. */
const KEY_NAME = /(^|[^a-z])(id|key|uuid|guid|sha|hash)$|[a-z](Id|Key|Uuid)$/i;

/**
 * The identifier fields of a table; else the first column without NULL and without a value twice in
 * the sample, those that are called like keys before others, and prose last.
 */
export function proposeKey(
  table: SourceTable,
  samples: Samples,
  prose: ReadonlySet<string>,
): ProposedKey {
  const { fields, identifierFieldIds: ids } = table.schema;
  const declared = fields.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (declared.length > 0) {
    return { columns: declared, isDeclared: true, why: ["the table's identifier fields"] };
  }
  const names = keyCandidates(table).map(({ name }) => name);
  const rank = (name: string) => (prose.has(name) ? 2 : KEY_NAME.test(name) ? 0 : 1);
  const unique = names
    .filter((name) => isUnique(samples.get(name) ?? []))
    .toSorted((a, b) => rank(a) - rank(b));
  const rows = Math.max(0, ...names.map((name) => samples.get(name)?.length ?? 0));
  const [found] = unique;
  return {
    columns: found === undefined ? fields.slice(0, 1).map(({ name }) => name) : [found],
    isDeclared: false,
    why: [
      'the table names no identifier fields: put the columns here that tell its rows apart',
      reason(found, rows),
    ],
  };
}

function reason(found: string | undefined, rows: number): string {
  if (rows === 0) return 'no rows were looked at: this is the first column';
  return found === undefined
    ? `this is the first column: none has a value of its own in each of the first ${rows} rows`
    : `this one has a value of its own in each of the first ${rows} rows`;
}

/** Whether there are values, none is NULL, and none comes twice. */
const isUnique = (values: readonly unknown[]): boolean =>
  values.length > 0 && !values.includes(null) && new Set(values).size === values.length;
