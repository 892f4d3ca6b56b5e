import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { keyOfRow } from '../base/find-keys.ts';
import { coordinatesOfText, keyName, keyText } from '../base/key-text.ts';
import { type Citation, citationOf, citationUri, hashOf, parseCitation } from './citation.ts';

/** What has become of a cited row. */
export interface CitationCheck {
  readonly citation: string;
  /**
   * `never_true`: at its snapshot the table had no such row, or other values. `unreadable`: it is
   * no citation, or nothing can be read; `reason` says why.
   */
  readonly status: 'unchanged' | 'changed' | 'deleted' | 'never_true' | 'unreadable';
  /** The snapshot at which the row was read again; null: the table is empty, or was not read. */
  readonly snapshot: string | null;
  /** A citation of the row as it is now. Absent: it is deleted. */
  readonly current?: string;
  /** Cited columns that the table no longer has. Absent: it has all. */
  readonly missing_columns?: readonly string[];
  /** Why it is unreadable, or why nobody can say whether it ever was true. */
  readonly reason?: string;
}

/** The operations that a check needs: those of search for short keys alone. */
type CheckContext = AgentContext<'getKeys' | 'search' | 'indexes'>;

/** Cited rows of one index with the same columns: they are read with one call. */
interface Group {
  readonly index: string;
  readonly columns: readonly string[];
  readonly members: Member[];
}

interface Member {
  readonly at: number;
  readonly uri: string;
  readonly citation: Citation;
}

/**
 * Reads cited rows again from the table and compares the hash of their cited columns, in order.
 * Those that differ are read at their own snapshot too. Throws what the table throws.
 */
export async function checkCitations(
  uris: readonly string[],
  context: CheckContext,
): Promise<readonly CitationCheck[]> {
  const checks: CitationCheck[] = [];
  for (const group of await groupsOf(uris, checks, context)) {
    const read = await tried(() => readRows(group, undefined, context));
    for (const [i, member] of group.members.entries()) {
      const { at, uri } = member;
      checks[at] =
        read instanceof LhsError
          ? unreadable(uri, read)
          : await inHistory(compare(member, read.rows[i], read.snapshot), member, context);
    }
  }
  return checks;
}

const unreadable = (citation: string, { message }: LhsError): CitationCheck => ({
  citation,
  status: 'unreadable',
  snapshot: null,
  reason: message,
});

/** Errors that are about a citation, not about the table. */
const ABOUT_IT = ['invalid_argument', 'index_not_found', 'not_found', 'permission_denied'];

async function tried<T>(work: () => Promise<T> | T, codes = ABOUT_IT): Promise<T | LhsError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LhsError && codes.includes(error.code)) return error;
    throw error;
  }
}

/** Groups in the order of the citations; checks of those that no row can be read for. */
async function groupsOf(
  uris: readonly string[],
  checks: CitationCheck[],
  context: CheckContext,
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (const [at, uri] of uris.entries()) {
    const citation = await tried(() => wholeCitation(uri, context));
    if (citation instanceof LhsError) checks[at] = unreadable(uri, citation);
    else if ('status' in citation) checks[at] = citation;
    else {
      const { index, columns } = citation;
      const name = JSON.stringify([index, columns]);
      const group = groups.get(name) ?? { index, columns, members: [] };
      group.members.push({ at, uri, citation });
      groups.set(name, group);
    }
  }
  return [...groups.values()];
}

/** The citation of a text with the whole key, or what can be said of one with a short key. */
async function wholeCitation(
  uri: string,
  context: CheckContext,
): Promise<Citation | CitationCheck> {
  const citation = parseCitation(uri);
  const { identifier } = coordinatesOfText(citation.key);
  if (!identifier.some(({ value }) => value.endsWith('*'))) return citation;
  const { backend, call } = context;
  const index = await backend.indexes.describe({ index: citation.index }, call);
  const { key, reason } = await keyOfRow(citation.key, index, context);
  if (key !== undefined) return { ...citation, key: keyText(key) };
  if (reason !== undefined) throw new LhsError('invalid_argument', reason);
  const { snapshot } = index;
  if (snapshot === citation.snapshot) return { citation: uri, status: 'never_true', snapshot };
  const why = 'no row has a key that begins so: a short key cannot be read at its own snapshot';
  return { citation: uri, status: 'deleted', snapshot, reason: why };
}

interface Rows {
  /** Of each member; undefined: the table has no such row. */
  readonly rows: readonly (JsonObject | undefined)[];
  readonly snapshot: string | null;
}

/** Rows as they are now, or as they were at a snapshot. */
async function readRows(
  { index, columns, members }: Group,
  asOf: string | undefined,
  { backend, call }: AgentContext<'getKeys'>,
): Promise<Rows> {
  const keys = members.map(({ citation }) => coordinatesOfText(citation.key));
  const at = asOf === undefined ? {} : { as_of: asOf };
  const read = async (named: readonly string[]): Promise<Rows> => {
    const request = { index, keys, columns: named, ...at };
    const { rows, snapshot } = await backend.getKeys(request, call);
    const byKey = new Map(rows.map(({ key, fields }) => [keyName(key), fields]));
    return { rows: keys.map((key) => byKey.get(keyName(key))), snapshot };
  };
  try {
    return await read(columns);
  } catch (error) {
    // a cited column may be gone: then the whole rows say so
    if (!(error instanceof LhsError) || error.code !== 'invalid_argument') throw error;
    return read([]);
  }
}

const isTrueOf = ({ columns, hash }: Citation, row: JsonObject): boolean =>
  hashOf(row, columns).startsWith(hash);

function compare(
  { uri, citation }: Member,
  row: JsonObject | undefined,
  snapshot: string | null,
): CitationCheck {
  if (row === undefined) return { citation: uri, status: 'deleted', snapshot };
  const { columns, index, key } = citation;
  const missing = columns.filter((name) => !Object.hasOwn(row, name));
  const left = columns.filter((name) => Object.hasOwn(row, name));
  const now = citationOf({ index, key, snapshot: snapshot ?? citation.snapshot }, row, left);
  return {
    citation: uri,
    status: isTrueOf(citation, row) ? 'unchanged' : 'changed',
    snapshot,
    current: citationUri(now),
    ...(missing.length === 0 ? {} : { missing_columns: missing }),
  };
}

/** The check of a citation that differs, unless it never was true at its own snapshot. */
async function inHistory(
  check: CitationCheck,
  member: Member,
  context: AgentContext<'getKeys'>,
): Promise<CitationCheck> {
  if (check.status === 'unchanged' || check.missing_columns !== undefined) return check;
  const { citation } = member;
  const { index, columns, snapshot } = citation;
  const group = { index, columns, members: [member] };
  const past = await tried(
    () => readRows(group, snapshot, context),
    ['not_found', 'unsupported', 'snapshot_expired', 'invalid_argument'],
  );
  if (past instanceof LhsError)
    return { ...check, reason: `not compared with ${snapshot}: ${past.message}` };
  const [row] = past.rows;
  const wasTrue = row !== undefined && isTrueOf(citation, row);
  return wasTrue ? check : { ...check, status: 'never_true' };
}
