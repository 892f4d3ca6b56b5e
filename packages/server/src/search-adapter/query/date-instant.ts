/** Dates of the imitated engine: texts in its formats, date math, time zones -> microseconds. */
import { clipped, illegal, RefusedDsl, unserved } from './refusal.ts';

/** The microseconds since 1970 that a date covers, as far as it is written: both inclusive. */
export interface Instant {
  readonly first: bigint;
  readonly last: bigint;
}

/** How a date is read. */
export interface DateReading {
  /** Formats, separated by `||`. */
  readonly format?: string | undefined;
  /** An offset or a name of a time zone, for dates that name none. */
  readonly timeZone?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const DEFAULT_FORMAT = 'strict_date_optional_time||epoch_millis';
const DATE = '(?<y>\\d{4})(?:-(?<M>\\d\\d)(?:-(?<d>\\d\\d)';
const TIME = '(?<H>\\d\\d)(?::(?<m>\\d\\d)(?::(?<s>\\d\\d)(?:[.,](?<f>\\d{1,9}))?)?)?';
const ZONE = '(?<z>Z|[+-]\\d\\d(?::?\\d\\d)?)';
const OPTIONAL_TIME = new RegExp(`^${DATE}(?:T(?:${TIME}${ZONE}?)?)?)?)?$`);
const FULL_TIME = /^(?<y>\d{4})-(?<M>\d\d)-(?<d>\d\d)T(?<H>\d\d):(?<m>\d\d):(?<s>\d\d)/.source;
const NAMED: Readonly<Record<string, RegExp>> = {
  strict_date_optional_time: OPTIONAL_TIME,
  strict_date_optional_time_nanos: OPTIONAL_TIME,
  date_optional_time: OPTIONAL_TIME,
  iso8601: OPTIONAL_TIME,
  strict_date: /^(?<y>\d{4})-(?<M>\d\d)-(?<d>\d\d)$/,
  date: /^(?<y>\d{4})-(?<M>\d\d)-(?<d>\d\d)$/,
  basic_date: /^(?<y>\d{4})(?<M>\d\d)(?<d>\d\d)$/,
  strict_date_time: new RegExp(`${FULL_TIME}\\.(?<f>\\d{1,9})${ZONE}$`),
  date_time: new RegExp(`${FULL_TIME}\\.(?<f>\\d{1,9})${ZONE}$`),
  strict_date_time_no_millis: new RegExp(`${FULL_TIME}${ZONE}$`),
  date_time_no_millis: new RegExp(`${FULL_TIME}${ZONE}$`),
  strict_year_month: /^(?<y>\d{4})-(?<M>\d\d)$/,
  year_month: /^(?<y>\d{4})-(?<M>\d\d)$/,
  strict_year: /^(?<y>\d{4})$/,
  year: /^(?<y>\d{4})$/,
};
const LETTERS: Readonly<Record<string, string>> = {
  ...{ yyyy: '(?<y>\\d{4})', uuuu: '(?<y>\\d{4})', MM: '(?<M>\\d\\d)', dd: '(?<d>\\d\\d)' },
  ...{ HH: '(?<H>\\d\\d)', mm: '(?<m>\\d\\d)', ss: '(?<s>\\d\\d)', SSS: '(?<f>\\d{3})' },
  ...{ SSSSSS: '(?<f>\\d{6})', ['X'.repeat(3)]: ZONE },
};
const PIECE = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']/g;

/** The instants of a date, which may be date math. `field` is for messages. Throws RefusedDsl. */
export function readInstant(text: string, reading: DateReading, field: string): Instant {
  if (text.startsWith('now')) {
    const now = BigInt(reading.now) * 1000n;
    return dateMath({ first: now, last: now }, text.slice(3), text, reading, field);
  }
  const at = text.indexOf('||');
  if (at < 0) return readDate(text, reading, field);
  const { first } = readDate(text.slice(0, at), reading, field);
  return dateMath({ first, last: first }, text.slice(at + 2), text, reading, field);
}

/** The millisecond of a number. */
export const millisInstant = (millis: number): Instant => {
  const first = BigInt(Math.floor(millis)) * 1000n;
  return { first, last: first + 999n };
};

function readDate(text: string, { format, timeZone }: DateReading, field: string): Instant {
  const formats = (format ?? DEFAULT_FORMAT).split('||');
  for (const one of formats) {
    const found = readAs(text, one, timeZone);
    if (found !== null) return found;
  }
  throw unreadable(text, formats.join('||'), field);
}

const unreadable = (text: string, format: string, field: string): RefusedDsl =>
  new RefusedDsl({
    status: 400,
    type: 'parse_exception',
    reason: `failed to parse date field [${clipped(text)}] of [${field}] with format [${format}]`,
  });

function readAs(text: string, format: string, timeZone: string | undefined): Instant | null {
  if (format === 'epoch_millis' || format === 'epoch_second') {
    const [, whole, part] = /^(-?\d{1,15})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
    if (whole === undefined) return null;
    const digits = format === 'epoch_millis' ? 3 : 6;
    const factor = 10n ** BigInt(digits);
    if (part === undefined) {
      const first = BigInt(whole) * factor;
      return { first, last: first + factor - 1n };
    }
    const micros = BigInt(part.padEnd(digits, '0').slice(0, digits));
    const exact = BigInt(whole) * factor + (text.startsWith('-') ? -micros : micros);
    return { first: exact, last: exact };
  }
  const parts = patternOf(format).exec(text)?.groups;
  return parts === undefined ? null : instantOf(parts, timeZone);
}

function patternOf(format: string): RegExp {
  if (Object.hasOwn(NAMED, format)) return NAMED[format];
  const source = format.replace(PIECE, (piece, quoted: string | undefined) => {
    if (quoted !== undefined) return literal(quoted === '' ? "'" : quoted);
    if (!/[A-Za-z]/.test(piece)) return literal(piece);
    if (Object.hasOwn(LETTERS, piece)) return LETTERS[piece];
    throw unserved(`date format [${clipped(format)}] is not served`);
  });
  try {
    return new RegExp(`^${source}$`);
  } catch {
    throw illegal(`Invalid format: [${clipped(format)}]`);
  }
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

type Parts = Readonly<Record<string, string | undefined>>;

/** Parts that are missing at the end are the earliest and the latest; months and days the first. */
function instantOf(parts: Parts, timeZone: string | undefined): Instant | null {
  const part = (name: string, missing: number) => Number(parts[name] ?? missing);
  const date = [part('y', 1970), part('M', 1), part('d', 1)] as const;
  const first = [part('H', 0), part('m', 0), part('s', 0)] as const;
  const last = [part('H', 23), part('m', 59), part('s', 59)] as const;
  const zone = parts.z ?? timeZone;
  const from = localMillis([...date, ...first], zone);
  const to = localMillis([...date, ...last], zone);
  if (from === null || to === null) return null;
  const digits = (parts.f ?? '').padEnd(6, '0').slice(0, 6);
  return {
    first: BigInt(from) * 1000n + BigInt(digits),
    last: BigInt(to) * 1000n + (parts.f === undefined ? 999_999n : BigInt(digits)),
  };
}

type Clock = readonly [y: number, M: number, d: number, H: number, m: number, s: number];

/** null: there is no such day or time. */
function localMillis([y, M, d, H, m, s]: Clock, zone: string | undefined): number | null {
  const local = new Date(0);
  local.setUTCFullYear(y, M - 1, d);
  local.setUTCHours(H, m, s);
  const fits = local.getUTCMonth() === M - 1 && local.getUTCDate() === d && H < 24 && m < 60;
  return fits && s < 60 ? fromLocal(local.getTime(), zone) : null;
}

function fromLocal(local: number, zone: string | undefined): number {
  const guess = local - offsetAt(local, zone);
  return local - offsetAt(guess, zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a zone are ahead of UTC, in milliseconds. Throws RefusedDsl. */
function offsetAt(millis: number, zone: string | undefined): number {
  if (zone === undefined || zone === 'Z' || zone === 'UTC') return 0;
  const fixed = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
    return (fixed[1] === '-' ? -1 : 1) * minutes * 60_000;
  }
  const shown = Object.fromEntries(
    zoneFormat(zone)
      .formatToParts(millis)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = shown;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(millis / 1000) * 1000;
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
    const options = { ...parts, ...clock, hourCycle: 'h23', timeZone: zone } as const;
    const made = new Intl.DateTimeFormat('en-US', options);
    if (formats.size > 100) formats.clear();
    formats.set(zone, made);
    return made;
  } catch {
    throw illegal(`failed to parse time zone [${clipped(zone)}]`);
  }
}

const STEP = /([+-])(\d{0,9})([yMwdhHms])|\/([yMwdhHms])/y;

/** Adds units and rounds to them; a rounded date covers the whole unit. */
function dateMath(
  start: Instant,
  math: string,
  text: string,
  { timeZone }: DateReading,
  field: string,
): Instant {
  let { first, last } = start;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < math.length) {
    const step = STEP.exec(math);
    if (step === null) throw unreadable(text, 'date math', field);
    const [, sign, count, unit, rounded] = step;
    if (rounded === undefined) {
      const number = (sign === '-' ? -1 : 1) * Number(count === '' ? 1 : count);
      first = plus(first, number, unit, timeZone);
      last = plus(last, number, unit, timeZone);
    } else {
      first = floorTo(first, rounded, timeZone);
      last = plus(floorTo(last, rounded, timeZone), 1, rounded, timeZone) - 1n;
    }
  }
  return { first, last };
}

const MILLIS: Readonly<Record<string, number>> = { h: 3_600_000, H: 3_600_000, m: 60_000, s: 1000 };

function plus(micros: bigint, count: number, unit: string, zone: string | undefined): bigint {
  const fixed = MILLIS[unit];
  if (fixed !== undefined) return micros + BigInt(count) * BigInt(fixed) * 1000n;
  return inLocal(micros, zone, (local) => {
    if (unit === 'd' || unit === 'w') {
      local.setUTCDate(local.getUTCDate() + count * (unit === 'w' ? 7 : 1));
      return;
    }
    const day = local.getUTCDate();
    local.setUTCDate(1);
    local.setUTCMonth(local.getUTCMonth() + count * (unit === 'y' ? 12 : 1));
    const end = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0));
    local.setUTCDate(Math.min(day, end.getUTCDate()));
  });
}

function floorTo(micros: bigint, unit: string, zone: string | undefined): bigint {
  return inLocal(micros - modulo(micros, 1000n), zone, (local) => {
    local.setUTCMilliseconds(0);
    if (unit === 's') return;
    local.setUTCSeconds(0);
    if (unit === 'm') return;
    local.setUTCMinutes(0);
    if (unit === 'h' || unit === 'H') return;
    local.setUTCHours(0);
    if (unit === 'w') local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
    if (unit === 'M' || unit === 'y') local.setUTCDate(1);
    if (unit === 'y') local.setUTCMonth(0);
  });
}

/** Changes an instant as the clocks of a zone show it. Throws RefusedDsl beyond all dates. */
function inLocal(micros: bigint, zone: string | undefined, change: (local: Date) => void): bigint {
  const rest = modulo(micros, 1000n);
  const millis = Number((micros - rest) / 1000n);
  const local = new Date(millis + offsetAt(millis, zone));
  change(local);
  if (Number.isNaN(local.getTime())) throw illegal('a date is out of range');
  return BigInt(fromLocal(local.getTime(), zone)) * 1000n + rest;
}

const modulo = (a: bigint, b: bigint): bigint => ((a % b) + b) % b;
