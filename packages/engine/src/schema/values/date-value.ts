/**
 * Instants: microseconds since 1970-01-01T00:00:00Z as bigint, proleptic Gregorian calendar.
 * Calendar arithmetic after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
 * (days_from_civil, civil_from_days).
 */
export const I64_MIN = -(2n ** 63n);
export const I64_MAX = 2n ** 63n - 1n;
const DAY_MICROS = 86_400_000_000n;

/** Days since 1970-01-01 of a civil date. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** [year, month, day] of days since 1970-01-01. */
export function civilFromDays(days: number): [number, number, number] {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const mp = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * mp + 2) / 5) + 1;
  const month = mp < 10 ? mp + 3 : mp - 9;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

/**
 * `YYYY-MM-DD` of days since 1970; years outside 0000..9999 with a sign and six digits (ISO 8601
 * expanded).
 */
export function formatDay(days: number): string {
  const [year, month, day] = civilFromDays(days);
  const y =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
  return `${y}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** `HH:MM:SS.` and `digits` of fraction, of a time of day in units of 10^-digits seconds. */
export function formatTime(time: bigint, digits: 6 | 9): string {
  const unit = 10n ** BigInt(digits);
  const seconds = Number(time / unit);
  const two = (n: number) => String(n).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}`;
  const fraction = String(time % unit).padStart(digits, '0');
  return `${clock}:${two(seconds % 60)}.${fraction}`;
}

/** `YYYY-MM-DDTHH:MM:SS.ffffff` (nine digits for nanoseconds) without a zone. */
export function formatTimestamp(instant: bigint, digits: 6 | 9): string {
  const dayUnits = 86_400n * 10n ** BigInt(digits);
  let days = instant / dayUnits;
  if (instant < 0n && days * dayUnits !== instant) days -= 1n;
  return `${formatDay(Number(days))}T${formatTime(instant - days * dayUnits, digits)}`;
}

/** A DATE value as it travels: ISO-8601, UTC, microseconds. */
export function formatDate(micros: bigint): string {
  return `${formatTimestamp(micros, 6)}Z`;
}

const ISO =
  /^([+-]\d{6}|\d{4})-(\d\d)(?:-(\d\d))?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * The instant that a text names, or null. ISO-8601 (`2025-11`, `2025-11-03`, `2025-11-03T14:22`,
 * seconds and up to nine digits of fraction cut to microseconds, `Z` or an offset; without a zone
 * UTC, without a time midnight), or epoch microseconds: a text of digits is always that.
 */
export function parseDate(text: string): bigint | null {
  if (text.length > 40) return null;
  if (/^[+-]?\d+$/.test(text)) return withinI64(BigInt(text));
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day = '01', hour, minute = '00', second = '00', fraction = '', zone] =
    match;
  if (hour === undefined && zone !== undefined) return null;
  const days = validDay(Number(year), Number(month), Number(day));
  const seconds = validTime(Number(hour ?? '0'), Number(minute), Number(second));
  const offset = zone === undefined ? 0 : zoneSeconds(zone);
  if (days === null || seconds === null || offset === null) return null;
  const micros = BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  return withinI64(BigInt(days) * DAY_MICROS + BigInt(seconds - offset) * 1_000_000n + micros);
}

function withinI64(value: bigint): bigint | null {
  return value >= I64_MIN && value <= I64_MAX ? value : null;
}

function validDay(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1) return null;
  const days = daysFromCivil(year, month, day);
  const [, backMonth, backDay] = civilFromDays(days);
  return backMonth === month && backDay === day ? days : null;
}

function validTime(hour: number, minute: number, second: number): number | null {
  return hour > 23 || minute > 59 || second > 59 ? null : hour * 3600 + minute * 60 + second;
}

function zoneSeconds(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2)) * (zone.length > 3 ? 1 : 0);
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}
