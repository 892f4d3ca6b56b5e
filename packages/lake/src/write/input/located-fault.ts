import { LakeError } from '../../base/errors.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { innerTypes, readType } from '../types/read-type.ts';
import type { WriterSession } from '../writer-session.ts';
import type { StagedInput } from './input.ts';
import type { InputColumn } from './input-columns.ts';

const UNFIT = /^column "(.+)" expects (.*), not "([\s\S]*)"$/;
const MISSING = /^required column "(.+)" \(.*\) is null$/;

/**
 * The error of a text that does not fit its column, or of a required column without a value, with
 * the line (or the row, where there are no lines) and with the way out. Other errors are returned
 * as they are.
 */
export async function locatedFault(
  error: unknown,
  session: WriterSession,
  input: StagedInput,
  columns: readonly InputColumn[],
): Promise<unknown> {
  const [, required] = error instanceof LakeError ? (MISSING.exec(error.message) ?? []) : [];
  const missing = columns.find(({ name }) => name === required);
  return missing !== undefined && error instanceof LakeError
    ? nullFault(error, session, input, missing)
    : unfitFault(error, session, input, columns);
}

/** The error of a required column with its rows that lack a value. */
async function nullFault(
  error: LakeError,
  session: WriterSession,
  input: StagedInput,
  { key, name, source }: InputColumn,
): Promise<LakeError> {
  const [[rows, first]] = await session.rows(
    `SELECT count(*), min(row) FROM (SELECT row_number() OVER () AS row, ${quoteName(key)} AS value
     FROM ${input.typedRelation([[key, readType(source)]])}) WHERE value IS NULL`,
  );
  if (first === null) return error;
  const at = await placeOf(Number(first), input);
  const where = Number(rows) === 1 ? `in ${at}` : `in ${rows} rows, first in ${at}`;
  const details = { ...error.details, option: 'required', column: name };
  return new LakeError(error.reason, `${error.message} ${where}`, { cause: error.cause, details });
}

/** `line 3`, or `row 2` of a format without lines. */
async function placeOf(row: number, input: StagedInput): Promise<string> {
  const line = await input.lineOf(row);
  return line === null ? `row ${row}` : `line ${line}`;
}

async function unfitFault(
  error: unknown,
  session: WriterSession,
  input: StagedInput,
  columns: readonly InputColumn[],
): Promise<unknown> {
  const unfit = error instanceof LakeError ? UNFIT.exec(error.message) : null;
  const [, path = '', expected = '', value = ''] = unfit ?? [];
  const column =
    columns.find(({ name }) => name === path) ??
    columns.find(({ name }) => path.startsWith(`${name}.`));
  if (unfit === null || column === undefined || !(error instanceof LakeError)) return error;
  const text = quoteName(column.key);
  const quoted = quoteText(value);
  const isNested = innerTypes(column.source).length > 0;
  const isFound = isNested
    ? `regexp_matches(text, '(^|[^\\w.+-])' || regexp_escape(${quoted}) || '($|[^\\w.])')`
    : `${quoted} IN (left(text, 80), left(lhs_plain(text), 80))`;
  const [found] = await session.rows(
    `SELECT row FROM (SELECT row_number() OVER () AS row, ${text}::VARCHAR AS text
     FROM ${input.typedRelation([[column.key, 'VARCHAR']])}) WHERE ${isFound} LIMIT 1`,
  );
  if (found === undefined) return error;
  const where = await placeOf(Number(found[0]), input);
  const details = { ...error.details, option: 'value', column: column.name, value };
  return new LakeError(error.reason, `${where}: ${error.message}`, {
    cause: error.cause,
    details: { ...details, expected, isNested },
  });
}
