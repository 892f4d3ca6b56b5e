import { LakeError } from '../../base/errors.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { innerTypes } from '../types/read-type.ts';
import type { WriterSession } from '../writer-session.ts';
import type { StagedInput } from './input.ts';
import type { InputColumn } from './input-columns.ts';

const UNFIT = /^column "(.+)" expects (.*), not "([\s\S]*)"$/;

/**
 * The error of a text that does not fit its column, with the line (or the row, where there are no
 * lines) and with the way out. Other errors are returned as they are.
 */
export async function locatedFault(
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
  const row = Number(found[0]);
  const line = await input.lineOf(row);
  const where = line === null ? `row ${row}` : `line ${line}`;
  const details = { ...error.details, option: 'value', column: column.name, value };
  return new LakeError(error.reason, `${where}: ${error.message}`, {
    cause: error.cause,
    details: { ...details, expected, isNested },
  });
}
