/** Date formats of the imitated engine: named ones, and patterns of letters. */
import { illegal } from '../query/refusal.ts';

/** Writes an instant, microseconds since 1970, as a clock `offsetMillis` ahead of UTC shows it. */
export type DateFormat = (micros: number, offsetMillis: number) => string;

const DEFAULT_FORMAT = 'strict_date_optional_time';
const NAMED: Readonly<Record<string, DateFormat>> = {
  epoch_millis: (micros) => numberText(micros / 1000),
  epoch_second: (micros) => numberText(micros / 1e6),
  strict_date_optional_time_nanos: iso,
  strict_date_optional_time: iso,
  date_optional_time: iso,
  strict_date_time: iso,
  date_time: iso,
  iso8601: iso,
  strict_date: (micros, offset) => local(micros, offset).date,
  date: (micros, offset) => local(micros, offset).date,
  strict_date_time_no_millis: (micros, offset) => {
    const { date, time } = local(micros, offset);
    return `${date}T${time}${zone(offset)}`;
  },
  basic_date: (micros, offset) => local(micros, offset).date.replaceAll('-', ''),
};
/** The letters of an offset such as `+01:00`. */
const OFFSET = 'X'.repeat(3);
const PART = /'([^']*)'|yyyy|uuuu|MM|dd|HH|mm|ss|SSSSSS|SSS|X{3}|[^a-zA-Z']/y;

/** Characters of a format: it is written for each value. */
const MOST_CHARS = 1000;

/** The format of a name or pattern; the first of several that `||` separates. */
export function dateFormat(text: string = DEFAULT_FORMAT): DateFormat {
  if (text.length > MOST_CHARS) throw illegal(`Invalid format: [${text.slice(0, 100)}]`);
  const [first] = text.split('||');
  if (Object.hasOwn(NAMED, first)) return NAMED[first];
  const parts = partsOf(first);
  return (micros, offset) => parts.map((part) => written(part, micros, offset)).join('');
}

function partsOf(pattern: string): readonly string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < pattern.length) {
    const found = PART.exec(pattern);
    if (found === null) throw illegal(`Invalid format: [${pattern.slice(0, 100)}]`);
    parts.push(found[0]);
  }
  return parts;
}

function written(part: string, micros: number, offset: number): string {
  const { date, time, fraction } = local(micros, offset);
  switch (part) {
    case 'yyyy':
    case 'uuuu':
      return date.slice(0, -6);
    case 'MM':
      return date.slice(-5, -3);
    case 'dd':
      return date.slice(-2);
    case 'HH':
      return time.slice(0, 2);
    case 'mm':
      return time.slice(3, 5);
    case 'ss':
      return time.slice(6);
    case 'SSS':
      return fraction.slice(0, 3);
    case 'SSSSSS':
      return fraction;
    case OFFSET:
      return zone(offset);
    default:
      return part.startsWith("'") ? part.slice(1, -1) || "'" : part;
  }
}

/** Milliseconds, and microseconds where an instant has them. */
function iso(micros: number, offset: number): string {
  const { date, time, fraction } = local(micros, offset);
  const shown = fraction.endsWith('000') ? fraction.slice(0, 3) : fraction;
  return `${date}T${time}.${shown}${zone(offset)}`;
}

/** Milliseconds of 400 years, after which the calendar repeats. */
const CYCLE = 146_097 * 86_400_000;

/** The parts of an instant; sums of dates may be far behind the last date of `Date`. */
function local(micros: number, offset: number) {
  const whole = Math.floor(micros);
  const millis = Math.floor(whole / 1000);
  const cycles = Math.floor((millis + offset) / CYCLE);
  const text = new Date(millis + offset - cycles * CYCLE).toISOString();
  const at = text.indexOf('T');
  const rest = String(whole - millis * 1000).padStart(3, '0');
  const year = Number(text.slice(0, 4)) + 400 * cycles;
  return {
    date: `${yearText(year)}${text.slice(4, at)}`,
    time: text.slice(at + 1, at + 9),
    fraction: text.slice(at + 10, at + 13) + rest,
  };
}

/** Years after 9999 have a sign. */
function yearText(year: number): string {
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits;
}

function zone(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

const numberText = (value: number): string => String(value);

/**
 * Microseconds since 1970 of a DATE value as the service writes it (ISO-8601 with microseconds);
 * undefined if the text is no such value.
 */
export function microsOfIso(text: string): number | undefined {
  const parts = /^(.*T\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  const start = parts === null ? Date.parse(text) : Date.parse(`${parts[1]}${parts[3] ?? 'Z'}`);
  if (Number.isNaN(start)) return undefined;
  return start * 1000 + Number((parts?.[2] ?? '').padEnd(6, '0').slice(0, 6));
}

/** ISO-8601 with microseconds of an instant, as the service reads it. */
export function isoOfMicros(micros: number): string {
  const { date, time, fraction } = local(micros, 0);
  return `${date}T${time}.${fraction}Z`;
}
