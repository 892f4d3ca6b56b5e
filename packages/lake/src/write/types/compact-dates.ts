import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { StagedInput } from '../input/input.ts';
import type { NearlyTyped } from '../input/input-notes.ts';
import type { WriterSession } from '../writer-session.ts';

const FORMAT = '%Y%m%d';
const NAME = /date|day|ymd|^dt$/i;

/** Those columns of whole numbers in CSV whose name and values say `YYYYMMDD`. */
export async function compactDates(
  session: WriterSession,
  input: StagedInput,
  columns: readonly { readonly name: string; readonly key: string }[],
): Promise<readonly NearlyTyped[]> {
  const named = columns.filter(({ name }) => NAME.test(name));
  if (named.length === 0) return [];
  const counts = named.map(({ key }) => {
    const text = quoteName(key);
    const isDate = `regexp_full_match(${text}, '(19|20)[0-9]{6}')
      AND try_strptime(${text}, '${FORMAT}') IS NOT NULL`;
    return `count(${text}), count(*) FILTER (${isDate})`;
  });
  const [found] = await session.rows(`SELECT ${counts.join(', ')} FROM ${input.relation}`);
  return named.flatMap(({ name: column }, i): readonly NearlyTyped[] => {
    const [values, fitting] = found.slice(2 * i, 2 * i + 2).map(Number);
    if (values === 0 || fitting < values) return [];
    const dateFormats = [FORMAT];
    return [{ column, kind: 'date', isWhole: true, values, fitting, exceptions: [], dateFormats }];
  });
}
