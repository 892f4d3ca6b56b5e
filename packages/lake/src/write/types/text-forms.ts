/**
 * The types of texts in CSV and JSON. All values of a column decide, not a sample of it, and both
 * formats follow the same rules:
 *
 * | texts                                              | type                       |
 * |----------------------------------------------------|----------------------------|
 * | ISO 8601 with `Z`, ` UTC` or an offset             | timestamptz (the instant)  |
 * | ISO 8601 without, or such and dates                | timestamp                  |
 * | either, with nanoseconds                           | timestamp_ns, timestamptz_ns |
 * | `YYYY-MM-DD`                                       | date                       |
 * | `hh:mm:ss`                                         | time                       |
 * | anything else, and texts with and without an offset | string                     |
 *
 * In CSV, where every value is text, also: whole numbers without leading zeros are long (more than
 * 18 digits: decimal(38,0)), other numbers double, `true` and `false` boolean.
 *
 * Each text has a form, one bit; the forms of a column are the bits of all its texts. Texts of
 * other forms also have a bit for each of `HINT` and `DATE_HINTS` that fits.
 *
 * `lhs_plain(x)` writes the notations that the caller names (a decimal comma, formats of dates) as
 * the ones above; `lhs_decimal(x)` leaves dates as they are.
 */
import { quoteText } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';
import type { ReadingOptions } from '../input/reading-options.ts';

/** The bit of each form. */
export const FORM = Object.freeze({
  int: 1,
  big: 2,
  double: 4,
  boolean: 8,
  date: 16,
  timestamp: 32,
  timestamptz: 64,
  time: 128,
  other: 256,
  timestamp_ns: 512,
  timestamptz_ns: 1024,
  address: 2048,
});

/** Formats of dates that are read only if the caller names them. */
const DATE_FORMATS = [
  '%d.%m.%Y',
  '%m/%d/%Y',
  '%d/%m/%Y',
  '%Y/%m/%d',
  '%d-%m-%Y',
  '%d-%b-%Y',
  '%b %d %Y',
  '%B %d, %Y',
  '%d %b %Y',
  '%d %B %Y',
  '%d.%m.%Y %H:%M:%S',
  '%m/%d/%Y %H:%M:%S',
  '%d/%m/%Y %H:%M:%S',
  '%Y/%m/%d %H:%M:%S',
  '%d/%b/%Y:%H:%M:%S %z',
  '%m/%d/%Y %I:%M:%S %p',
];

/** SQL for a text of a format, also without its seconds; NULL if it is none. */
function parsed(format: string): string {
  const formats = [format, ...(format.includes(':%S') ? [format.replace(':%S', '')] : [])];
  return `try_strptime(x, [${formats.map(quoteText).join(', ')}])`;
}

/** Texts that are read only if the caller names a notation or a type, each with its bit. */
export const HINT = Object.freeze({ comma: 1 << 12, marked: 1 << 13, list: 1 << 14, yes: 1 << 15 });

/** The bit of each format of dates. */
export const DATE_HINTS: readonly { readonly bit: number; readonly format: string }[] =
  DATE_FORMATS.map((format, i) => ({ bit: 65_536 << i, format }));

const DAY = String.raw`\d{4}-\d\d-\d\d`;
const CLOCK = String.raw`\d\d:\d\d(:\d\d(\.\d{1,9})?)?`;
/** With a digit after the sixth that counts. */
const NANO_CLOCK = String.raw`\d\d:\d\d:\d\d\.\d{6}([1-9]\d{0,2}|0[1-9]\d?|00[1-9])`;
const ZONE = String.raw`(Z| UTC| ?[+-](0\d|1[0-8])(:?[0-5]\d)?)`;
const THOUSANDS = String.raw`\d{1,3}(,\d{3})+(\.\d+)?`;
const GROUPED = String.raw`(${THOUSANDS}|\d+(\.\d+)?)`;
const MARK = '[-+]?[$€£¥] ?';
/** A change such as `+3.5`: longer ones may be telephone numbers. */
const SIGNED = String.raw`\+(0|[1-9]\d{0,5})(\.\d+)?`;
const PATTERNS = Object.freeze({
  int: String.raw`-?(0|[1-9]\d{0,17})`,
  big: String.raw`-?[1-9]\d{0,37}`,
  double: String.raw`-?((0|[1-9]\d{0,37})(\.\d+)?|\.\d+)([eE][+-]?\d{1,2})?`,
  boolean: '(?i)true|false',
  date: DAY,
  timestamp: `${DAY}[T ]${CLOCK}`,
  timestamp_ns: `${DAY}[T ]${NANO_CLOCK}`,
  timestamptz: `${DAY}[T ]${CLOCK}${ZONE}`,
  timestamptz_ns: `${DAY}[T ]${NANO_CLOCK}${ZONE}`,
  time: CLOCK,
  comma: String.raw`-?(\d{1,3}(\.\d{3})+(,\d+)?|\d+,\d+)`,
  marked: `${MARK}${GROUPED}|[-+]?${GROUPED} ?[%$€£¥]|[-+]?${THOUSANDS}|${SIGNED}`,
  list: String.raw`-?\d+(,-?\d+){2,}`,
  yes: '(?i)yes|no|y|n',
  address: String.raw`(\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}`,
});
/** The longest text that can be anything but a string. */
const LONGEST = 48;

const matches = (form: keyof typeof PATTERNS) =>
  `regexp_full_match(x, ${quoteText(PATTERNS[form])})`;

/** DuckDB wants seconds; ISO 8601 may leave them out, and Java's `toString` does. */
const canonical = String.raw`regexp_replace(x, '^(.{10}).(.{5})([^:]|$)', '\1 \2:00\3')`;

/** git writes a blank before an offset. */
const canonicalZoned = `replace(replace(${canonical}, ' +', '+'), ' -', '-')`;

const CASTS = Object.freeze({
  date: { text: 'x', sql: 'DATE' },
  timestamp: { text: canonical, sql: 'TIMESTAMP' },
  timestamp_ns: { text: canonical, sql: 'TIMESTAMP_NS' },
  timestamptz: { text: canonicalZoned, sql: 'TIMESTAMPTZ' },
  time: { text: String.raw`regexp_replace(x, '^(.{5})$', '\1:00')`, sql: 'TIME' },
});

/** Forms of times in the order of their tests, each with the type that a text of it must fit. */
const TIME_FORMS = Object.freeze([
  ['date', 'date'],
  ['timestamp_ns', 'timestamp'],
  ['timestamp', 'timestamp'],
  ['timestamptz_ns', 'timestamptz'],
  ['timestamptz', 'timestamptz'],
  ['time', 'time'],
] as const);
type TimeKind = keyof typeof CASTS;

/** Types whose text is read by rules of ours, not by DuckDB's. */
export const isTimeType = (type: Type): type is Type & { readonly kind: TimeKind } =>
  Object.hasOwn(CASTS, type.kind);

/**
 * Statements that define `lhs_form(x)` and `lhs_csv_form(x)` for texts, `lhs_whole_form(x)` for
 * whole numbers, and a strict conversion for each time type.
 */
export function formMacros({ decimal, dateFormats = [] }: ReadingOptions = {}): string {
  const time = TIME_FORMS.map(([form, kind]) => {
    const { text, sql } = CASTS[kind];
    return `WHEN ${matches(form)} AND TRY_CAST(${text} AS ${sql}) IS NOT NULL THEN ${FORM[form]}`;
  });
  const csv = (['int', 'big', 'double', 'boolean'] as const).map(
    (kind) => `WHEN ${matches(kind)} THEN ${FORM[kind]}`,
  );
  const form = (cases: readonly string[], other: string) =>
    `CASE WHEN x IS NULL THEN 0 WHEN strlen(x) > ${LONGEST} THEN ${FORM.other}
     ${cases.join('\n')} ELSE ${other} END`;
  const strict = (Object.keys(CASTS) as TimeKind[]).map((kind) => {
    const accepted = ACCEPTED[kind].map((f) => `WHEN ${matches(f)} THEN ${castOf(f, kind)}`);
    return macro(
      `lhs_${kind}(x, message)`,
      `CASE WHEN x IS NOT NULL THEN coalesce(CASE ${accepted.join(' ')} END, ${REFUSED}) END`,
    );
  });
  const dates = dateFormats.map(
    (format) => `WHEN ${parsed(format)} IS NOT NULL THEN ${isoOf(format)}`,
  );
  const comma = `WHEN ${matches('comma')} THEN replace(replace(x, '.', ''), ',', '.')`;
  const marks = decimal === ',' ? [comma] : [];
  const plain = (cases: readonly string[]) =>
    cases.length === 0 ? 'x' : `CASE ${cases.join(' ')} ELSE x END`;
  return [
    macro('lhs_decimal(x)', plain(marks)),
    macro('lhs_plain(x)', plain([...marks, ...dates])),
    macro('lhs_number(x)', numberText(decimal)),
    macro('lhs_other_form(x)', otherForm()),
    macro('lhs_form(x)', form(time, `lhs_other_form(x) + ${quotedForm()}`)),
    macro(
      'lhs_whole_form(x)',
      `CASE WHEN x IS NULL THEN 0
       WHEN x BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ${FORM.int}
       ELSE ${FORM.big} END`,
    ),
    macro('lhs_csv_form(x)', form([...csv, ...time], 'lhs_other_form(x)')),
    ...strict,
  ].join(';\n');
}

/** A text of a number without marks of currency and percent, and without separators. */
function numberText(decimal: '.' | ',' | undefined): string {
  const bare = `regexp_replace(regexp_replace(x, '^([-+]?)[$€£¥] ?', '\\1'), ' ?[%$€£¥]$', '')`;
  if (decimal === ',') return `lhs_decimal(${bare})`;
  return `CASE WHEN ${matches('marked')} THEN replace(${bare}, ',', '') ELSE x END`;
}

const macro = (head: string, body: string) => `CREATE OR REPLACE TEMP MACRO ${head} AS ${body}`;

const REFUSED = `error(message || left(x, 80) || '"')`;

const bitIf = (fits: string, bit: number) => `CASE WHEN ${fits} THEN ${bit} ELSE 0 END`;

/** The bits of numbers in quotes, as JSON may have them. */
const quotedForm = (): string =>
  bitIf(matches('int'), FORM.int) +
  ` + ${bitIf(`contains(x, '.') AND ${matches('double')}`, FORM.double)}`;

function otherForm(): string {
  const dates = DATE_HINTS.map(({ bit, format }) => bitIf(`${parsed(format)} IS NOT NULL`, bit));
  const notations = (['comma', 'list'] as const).map((hint) => bitIf(matches(hint), HINT[hint]));
  const address = bitIf(matches('address'), FORM.address);
  const marks = (['marked', 'yes'] as const).map((hint) => bitIf(matches(hint), HINT[hint]));
  // a letter or a digit at its end: most texts are none of these, and are not tried
  return `CASE WHEN regexp_full_match(x, '-?[0-9a-zA-Z:][-0-9a-zA-Z .,:/+]*[0-9a-fA-FM:]')
    THEN ${[address, ...notations, ...dates].join(' + ')} ELSE 0 END
    + ${[FORM.other, ...marks].join(' + ')}`;
}

/** A text of a format as ISO 8601. */
function isoOf(format: string): string {
  const zone = /%z/i.test(format) ? 'Z' : '';
  const clock = /%[HIMSTXcpf]/.test(format) || zone !== '' ? `T%H:%M:%S.%f${zone}` : '';
  return `strftime(${parsed(format)}, '%Y-%m-%d${clock}')`;
}

/** Texts of numbers that a type takes without a change of their value. */
function numberPattern(type: Type): string | null {
  if (type.kind === 'int' || type.kind === 'long') return String.raw`[+-]?\d+(\.0*)?`;
  if (type.kind !== 'decimal') return null;
  return String.raw`[+-]?\d*(\.\d{0,${type.scale}}0*)?`;
}

/** SQL for a text as a type that is not one of times; what does not fit ends with `message`. */
export function strictText(value: string, type: Type, sql: string, message: string): string {
  const plain = `${type.kind === 'boolean' ? 'lhs_plain' : 'lhs_number'}(${value})`;
  const pattern = numberPattern(type);
  const fits = pattern === null ? 'true' : `regexp_full_match(${plain}, ${quoteText(pattern)})`;
  const refused = `error(${quoteText(message)} || left(${value}, 80) || '"')`;
  const cast = `TRY_CAST(${plain} AS ${sql})`;
  const isExact = type.kind === 'double' || type.kind === 'float' ? keeps(plain, cast) : 'true';
  return `CASE WHEN ${value} IS NULL THEN NULL
    WHEN ${fits} AND ${cast} IS NOT NULL AND ${isExact} THEN ${cast} ELSE ${refused} END`;
}

/**
 * SQL: false for a whole number of up to 38 digits that a floating-point number would change, such
 * as an id above 2^53. Both its value and the shortest text that is read as it are kept.
 */
const keeps = (text: string, cast: string): string => {
  const whole = (sql: string) => `TRY_CAST(${sql} AS DECIMAL(38, 0))`;
  const [value, shortest] = [whole(`CAST(${cast} AS HUGEINT)`), whole(`CAST(${cast} AS VARCHAR)`)];
  return `(length(${text}) < 8 OR NOT regexp_full_match(${text}, '-?[0-9]{8,38}')
    OR ${whole(text)} IN (${value}, ${shortest}))`;
};

/** Forms of text that a column of a time type takes: an offset is never dropped. */
const ACCEPTED: Readonly<Record<TimeKind, readonly TimeKind[]>> = Object.freeze({
  date: ['date'],
  timestamp: ['date', 'timestamp'],
  timestamp_ns: ['date', 'timestamp'],
  timestamptz: ['timestamptz', 'timestamp', 'date'],
  time: ['time'],
});

function castOf(form: TimeKind, kind: TimeKind): string {
  const { sql } = CASTS[kind];
  if (form === 'date' && kind !== 'date') return `TRY_CAST(TRY_CAST(x AS DATE) AS ${sql})`;
  return `TRY_CAST(${CASTS[form].text} AS ${sql})`;
}

/** The type of a column whose texts have these forms. */
export function typeOfForms(forms: number): Type {
  const only = (...kinds: readonly (keyof typeof FORM)[]) =>
    forms !== 0 && (forms & ~kinds.reduce((bits, kind) => bits | FORM[kind], 0)) === 0;
  if (only('int')) return { kind: 'long' };
  if (only('int', 'big')) return { kind: 'decimal', precision: 38, scale: 0 };
  if (only('int', 'big', 'double')) return { kind: 'double' };
  if (only('boolean')) return { kind: 'boolean' };
  if (only('date')) return { kind: 'date' };
  if (only('date', 'timestamp')) return { kind: 'timestamp' };
  if (only('date', 'timestamp', 'timestamp_ns')) return { kind: 'timestamp_ns' };
  if (only('timestamptz')) return { kind: 'timestamptz' };
  if (only('timestamptz', 'timestamptz_ns')) return { kind: 'timestamptz_ns' };
  if (only('time')) return { kind: 'time' };
  return { kind: 'string' };
}

/** Whether more texts can still make it anything but a string. */
export const isOpen = (forms: number): boolean => (forms & FORM.other) === 0;
