import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { InputColumn } from '../input/input-columns.ts';
import type { InputFormat } from '../input/input-files.ts';
import type { NearlyTyped } from '../input/input-notes.ts';
import type { WriterSession } from '../writer-session.ts';
import { isNearly, LEAST_SHARE_BESIDE_MARK, MAX_EXCEPTIONS } from './null-mark.ts';
import { DATE_HINTS, FORM, HINT, typeOfForms } from './text-forms.ts';

/** More columns are not named, as each takes a part of another pass over the input. */
const MAX_COLUMNS = 100;

type Counts = ReadonlyMap<number, number>;
type Candidate = Pick<NearlyTyped, 'kind' | 'type' | 'decimal' | 'dateFormats'> & {
  readonly bits: number;
};

const { int, big, double, boolean, date, time, address } = FORM;
const zoneless = FORM.timestamp | FORM.timestamp_ns | date;
const zoned = FORM.timestamptz | FORM.timestamptz_ns;
const CANDIDATES: readonly Candidate[] = [
  { kind: 'number', bits: int | big | double },
  { kind: 'boolean', bits: boolean },
  { kind: 'date', bits: date },
  { kind: 'timestamp', bits: zoneless },
  { kind: 'timestamp', bits: zoned },
  { kind: 'time', bits: time },
  { kind: 'address', bits: address },
  { kind: 'number', bits: HINT.comma | int | big | double, decimal: ',' },
  { kind: 'number', bits: HINT.marked | int | big | double, type: 'double' },
  { kind: 'boolean', bits: HINT.yes | boolean, type: 'boolean' },
  ...DATE_HINTS.map(
    ({ bit, format }): Candidate => ({
      kind: /%[HI]/.test(format) ? 'timestamp' : 'date',
      bits: bit,
      dateFormats: [format],
    }),
  ),
];

/** Of JSON, which writes numbers and booleans as such. */
const UNQUOTED: ReadonlySet<string> = new Set(['number', 'boolean']);
/** Whole numbers in quotes are codes; those with decimals or thousands are worth a note. */
const QUOTED: Candidate = { kind: 'number', bits: int | double | HINT.marked, type: 'double' };

/** The texts of an input: what a text looks like, in SQL, and the rows with columns as texts. */
interface Texts {
  form(text: string): string;
  relation(columns: readonly InputColumn[]): string;
}

/** Columns of texts that are nearly of another type, with their exceptions in all rows. */
export async function nearlyTyped(
  session: WriterSession,
  format: InputFormat,
  seen: readonly { readonly column: InputColumn; readonly counts: Counts }[],
  input: Texts,
): Promise<readonly NearlyTyped[]> {
  const near = seen
    .flatMap(({ column, counts }) => {
      const candidate = candidateOf(counts, format);
      return candidate === null ? [] : [{ column, ...candidate }];
    })
    .slice(0, MAX_COLUMNS);
  if (near.length === 0) return [];
  const [row] = await session.rows(exceptionsQuery(near, input));
  return near.flatMap(({ column, bits: _, ...candidate }, i) => {
    const [values, others, top] = row.slice(3 * i, 3 * i + 3);
    const list = top as { readonly items: readonly unknown[] } | null;
    const exceptions = list?.items.map(String) ?? [];
    const fitting = Number(values) - Number(others);
    if (!isNearly(fitting, Number(values), exceptions)) return [];
    return [{ column: column.name, ...candidate, values: Number(values), fitting, exceptions }];
  });
}

/** Of each column: its values, those of another form, and the most frequent of the latter. */
function exceptionsQuery(
  columns: readonly { readonly column: InputColumn; readonly bits: number }[],
  input: Texts,
): string {
  const counted = columns.map(
    (_, i) => `count(text${i}), count(other${i}), approx_top_k(other${i}, ${MAX_EXCEPTIONS})`,
  );
  // the form of a text is a long expression: it stands here once
  const texts = columns.map(({ column, bits }, i) => {
    const text = quoteName(column.key);
    const isOther = `${text} IS NOT NULL AND ${input.form(text)} & ${bits} = 0`;
    return `${text} AS text${i}, CASE WHEN ${isOther} THEN left(${text}, 40) END AS other${i}`;
  });
  const relation = input.relation(columns.map(({ column }) => column));
  return `SELECT ${counted.join(', ')} FROM (SELECT ${texts.join(', ')} FROM ${relation})`;
}

/** What most values are, if the column is a text for the rest of them. */
function candidateOf(counts: Counts, inputFormat: InputFormat): Candidate | null {
  const values = [...counts].filter(([form]) => form !== 0);
  const isText = typeOfForms(values.reduce((all, [form]) => all | form, 0)).kind === 'string';
  const total = values.reduce((n, [, count]) => n + count, 0);
  if (!isText || total === 0) return null;
  const hasLists = values.some(([form]) => (form & (HINT.list | HINT.marked)) === HINT.list);
  const candidates = CANDIDATES.filter(({ kind, decimal }) => {
    if (decimal !== undefined && hasLists) return false;
    return inputFormat === 'csv' || !UNQUOTED.has(kind);
  });
  if (inputFormat !== 'csv' && values.some(([form]) => (form & (double | HINT.marked)) !== 0)) {
    candidates.push(QUOTED);
  }
  const shares = candidates.map(({ bits }) =>
    values.reduce((n, [form, count]) => n + ((form & bits) === 0 ? 0 : count), 0),
  );
  const most = Math.max(...shares);
  if (most < LEAST_SHARE_BESIDE_MARK * total) return null;
  const best = candidates.filter((_, i) => shares[i] === most);
  const [first] = best;
  if (first.kind === 'address' && most === total) return null;
  // a text that two notations read is named with both
  if (first.dateFormats !== undefined) {
    return { ...first, dateFormats: best.flatMap((candidate) => candidate.dateFormats ?? []) };
  }
  return first.decimal === undefined
    ? first
    : { ...first, type: best.find(({ type }) => type)?.type };
}
