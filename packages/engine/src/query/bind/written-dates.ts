/** Dates in a text as files, logs and people write them: `30.04.1992`, `Apr 30, 1992 2:36 PM`. */
import { parseDate } from '../../schema/values/date-value.ts';
import type { Span } from '../query.ts';

/** A date in a text. */
export interface WrittenDate extends Span {
  /** As ISO 8601, the likeliest first: `04/05/1992` is a day of April or of May. */
  readonly readings: readonly string[];
  /** false: the readings are of all years. */
  readonly hasYear: boolean;
}

/** Year, month and day, where `d` is absent in a month. */
interface Day {
  readonly y: string;
  readonly m: string | number;
  readonly d?: string | undefined;
}

const MONTH = String.raw`(\p{L}{3,10})`;
const NTH = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const BEFORE = String.raw`(?<![\p{L}\p{N}]|\p{N}[./-])`;
const WEEKDAY = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? +)?';
const BEHIND = String.raw`(?![\p{L}\p{N}]|[./-]\p{N})`;
const ZONE = String.raw`(?:\s*(?<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?`;
const HALF = String.raw`(?:\s*(?<half>[ap])\.?m\.?)?`;
const SECOND = String.raw`(?::(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?)?`;
const CLOCK = String.raw`(?:(?:T|:|,?\s+)(?<h>\d{1,2}):(?<min>\d\d)${SECOND}${HALF}${ZONE})?`;

type Read = (parts: readonly string[], years: readonly string[]) => readonly Day[];

/** A second as syslog writes it. */
const WITHOUT_YEAR = notation(
  String.raw`${MONTH}\.?\s+${NTH}(?=\s+\d\d:\d\d:\d\d)`,
  ([name, d], years) => years.flatMap((y) => named({ y, m: name, d })),
);

/** Whether a text may have a date without a year, such as `Jun 24 14:36:25`. */
export const mayLackYear = (text: string): boolean => text.search(WITHOUT_YEAR[0]) >= 0;

/** The notations of days and months, and how their parts are read. */
const NOTATIONS: readonly (readonly [RegExp, Read])[] = [
  notation(String.raw`(\d{4})([-/.])(\d{1,2})\2(\d{1,2})`, ([y, , m, d]) => [{ y, m, d }]),
  notation(String.raw`((?:1[5-9]|20)\d\d)(\d\d)(\d\d)`, ([y, m, d]) => [{ y, m, d }]),
  notation(String.raw`(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<=/)\d\d)`, ([one, sign, two, year]) => {
    const y = year.length > 2 ? year : `${Number(year) < 70 ? 20 : 19}${year}`;
    const [dayFirst, monthFirst] = [
      { y, m: two, d: one },
      { y, m: one, d: two },
    ];
    return sign === '/' ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
  }),
  notation(String.raw`${NTH}(?:\.?\s+|[/-])${MONTH}(?:[.,]?\s+|[/-])(\d{4})`, ([d, name, y]) =>
    named({ y, m: name, d }),
  ),
  notation(String.raw`${MONTH}\.?\s+${NTH},?\s+(\d{4})`, ([name, d, y]) =>
    named({ y, m: name, d }),
  ),
  notation(String.raw`${MONTH}[.,]?[\s-]+(\d{4})`, ([name, y]) => named({ y, m: name })),
  notation(String.raw`(\d{1,2})/(\d{4})`, ([m, y]) => [{ y, m }]),
  WITHOUT_YEAR,
];

function notation(pattern: string, read: Read): readonly [RegExp, Read] {
  return [new RegExp(`${BEFORE}${WEEKDAY}${pattern}${CLOCK}${BEHIND}`, 'giu'), read];
}

/**
 * The dates of a text, in their order, none of them inside of another one. `years`: those of a date
 * without a year.
 */
export function writtenDates(text: string, years: readonly string[]): readonly WrittenDate[] {
  if (!/\d{4}|\d\/\d|\d:\d\d:\d/.test(text)) return [];
  const found = NOTATIONS.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match): readonly WrittenDate[] => {
      const { index, 0: all, groups = {} } = match;
      const days = read(match.slice(1), years).flatMap((day) => isoOf(day, groups) ?? []);
      const readings = [...new Set(days)];
      const hasYear = pattern !== WITHOUT_YEAR[0];
      const to = index + all.length;
      return readings.length === 0 ? [] : [{ from: index, to, readings, hasYear }];
    }),
  );
  const sorted = found.toSorted((a, b) => a.from - b.from || b.to - a.to);
  return sorted.filter(({ from }, i) => sorted.slice(0, i).every(({ to }) => to <= from));
}

/** A day and its time as ISO 8601; undefined: the calendar has no such day. */
function isoOf({ y, m, d }: Day, clock: Readonly<Record<string, string | undefined>>) {
  const two = (part: string | number) => String(part).padStart(2, '0');
  const day = `${y}-${two(m)}${d === undefined ? '' : `-${two(d)}`}`;
  const { h, min, s, f, half, zone } = clock;
  if (h === undefined || min === undefined || d === undefined)
    return parseDate(day) === null ? undefined : day;
  const hour = half === undefined ? Number(h) : (Number(h) % 12) + (/p/i.test(half) ? 12 : 0);
  const second = s === undefined ? '' : `:${s}${f === undefined ? '' : `.${f}`}`;
  const iso = `${day}T${two(hour)}:${min}${second}${zoneOf(zone)}`;
  return parseDate(iso) === null ? undefined : iso;
}

function zoneOf(zone = ''): string {
  if (/^[a-z]+$/i.test(zone)) return 'Z';
  return zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours: string, minutes = '00') => {
    return `${hours}:${minutes}`;
  });
}

/** Languages whose names of months are read. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl'];
let months: ReadonlyMap<string, number> | undefined;

function named(day: Day): readonly Day[] {
  months ??= new Map(LANGUAGES.flatMap((language) => [...namesOf(language)]));
  const m = months.get(plainName(String(day.m)));
  return m === undefined ? [] : [{ ...day, m }];
}

const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The names of the months in a language, whole and short, alone and behind a day. */
function* namesOf(language: string): Generator<readonly [string, number]> {
  for (const month of ['long', 'short'] as const) {
    for (const options of [{ month }, { month, day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
      for (let m = 1; m <= 12; m++) {
        const parts = format.formatToParts(Date.UTC(2000, m - 1, 1));
        const name = parts.find(({ type }) => type === 'month')?.value ?? '';
        yield [plainName(name), m];
        if (month === 'long' && language === 'en') yield [name.slice(0, 3).toLowerCase(), m];
      }
    }
  }
}

/** A date as texts write it: words in their order, with a gap of `slop` words. */
interface Notation {
  readonly words: string;
  readonly slop: number;
}

/** A date in the notations of texts; a month with a gap for the day. */
export function notationsOf(iso: string): readonly Notation[] {
  const [date, clock] = iso.split('T');
  const [y, m, d] = date.split('-');
  const name = (month: 'long' | 'short') =>
    new Intl.DateTimeFormat('en', { month, timeZone: 'UTC' }).format(Date.UTC(2000, +m - 1, 1));
  const names = [name('short'), name('long')];
  if (d === undefined) return names.map((one) => ({ words: `${one} ${y}`, slop: 1 }));
  const short = `${+m}/${+d}/${y}`;
  const numbers = [date, `${d}.${m}.${y}`, `${m}/${d}/${y}`, `${+d}.${+m}.${y}`, short];
  const named = [...new Set([d, String(+d)])].flatMap((day) =>
    names.flatMap((one) => [`${one} ${day} ${y}`, `${day} ${one} ${y}`]),
  );
  const time = clock === undefined ? '' : ` ${/^[\d:]+/.exec(clock)?.[0]}`;
  return [...numbers, ...named].map((words) => ({ words: words + time, slop: 0 }));
}
