/**
 * Dates and times between numbers and ISO-8601 text, proleptic Gregorian, without Date's limits.
 */

const DATE = /^([+-]?\d{4,7})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/;
const ZONE = /(Z|[+-]\d\d:?\d\d)$/;

/** Days since 1970-01-01 of a civil date (algorithm: Howard Hinnant, "days_from_civil"). */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + dayOfEra + dayOfYear - 719_468;
}

/** [year, month, day] of days since 1970-01-01 (Howard Hinnant, "civil_from_days"). */
export function civilFromDays(days: number): readonly [number, number, number] {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365,
  );
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  const day = doy - Math.floor((153 * mp + 2) / 5) + 1;
  return [yoe + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

const pad = (value: number | bigint, width: number): string => String(value).padStart(width, '0');

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return pad(year, 4);
  return year < 0 ? `-${pad(-year, 6)}` : `+${pad(year, 6)}`;
}

/** `YYYY-MM-DD` of days since 1970-01-01. */
export function formatDate(days: number): string {
  const [year, month, day] = civilFromDays(days);
  return `${yearText(year)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/**
 * `HH:MM:SS.ffffff` (or nine digits) of ticks since midnight; `digits` is 6 for µs and 9 for ns.
 */
export function formatTime(ticks: bigint, digits: 6 | 9 = 6): string {
  const unit = digits === 6 ? 1_000_000n : 1_000_000_000n;
  const seconds = Number(ticks / unit);
  const hms = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${hms.map((part) => pad(part, 2)).join(':')}.${pad(ticks % unit, digits)}`;
}

/** ISO-8601 of ticks since 1970-01-01T00:00:00, `Z` appended if `zoned`. */
export function formatTimestamp(ticks: bigint, digits: 6 | 9, zoned: boolean): string {
  const perDay = digits === 6 ? 86_400_000_000n : 86_400_000_000_000n;
  const inDay = ((ticks % perDay) + perDay) % perDay;
  const days = Number((ticks - inDay) / perDay);
  return `${formatDate(days)}T${formatTime(inDay, digits)}${zoned ? 'Z' : ''}`;
}

/** Days since 1970-01-01 of `YYYY-MM-DD`, or null if it is no such date. */
export function parseDate(text: string): number | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const days = daysFromCivil(year, month, day);
  const [y, m, d] = civilFromDays(days);
  return y === year && m === month && d === day ? days : null;
}

/**
 * Ticks since midnight of `HH:MM[:SS[.fraction]]`, or null; fractions finer than `digits` must be
 * zero.
 */
export function parseTime(text: string, digits: 6 | 9 = 6): bigint | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const nanos = BigInt((match[4] ?? '').padEnd(9, '0'));
  if (digits === 6 && nanos % 1000n !== 0n) return null;
  const unit = digits === 6 ? 1_000_000n : 1_000_000_000n;
  const fraction = digits === 6 ? nanos / 1000n : nanos;
  return BigInt(hour * 3600 + minute * 60 + second) * unit + fraction;
}

/**
 * Ticks since 1970-01-01 of an ISO-8601 timestamp with or without zone, or null. Without a zone it
 * is taken as UTC.
 */
export function parseTimestamp(text: string, digits: 6 | 9): bigint | null {
  const separator = text.search(/[T ]/);
  if (separator < 0) return null;
  const zone = ZONE.exec(text);
  const days = parseDate(text.slice(0, separator));
  const clock = text.slice(separator + 1, zone ? zone.index : undefined);
  const ticks = parseTime(clock, digits);
  if (days === null || ticks === null) return null;
  const second = digits === 6 ? 1_000_000n : 1_000_000_000n;
  const offset = zone && zone[1] !== 'Z' ? zoneSeconds(zone[1]!) : 0;
  return BigInt(days) * 86_400n * second + ticks - BigInt(offset) * second;
}

function zoneSeconds(zone: string): number {
  const digits = zone.slice(1).replace(':', '');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}
