/**
 * Dates and times as ISO-8601 text, exact over the whole range of their integers (the proleptic
 * Gregorian calendar; days to civil date after Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms"). Years outside 0000..9999 are written with a sign and at least six digits.
 */
const SECONDS_PER_DAY = 86_400n;

/** `YYYY-MM-DD` of days since 1970-01-01. */
export function dateText(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${padded(month, 2)}-${padded(day, 2)}`;
}

/** `HH:MM:SS.ffffff` of microseconds since midnight. */
export function timeText(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  return `${clockText(seconds)}.${padded(Number(micros % 1_000_000n), 6)}`;
}

/**
 * `YYYY-MM-DDTHH:MM:SS.ffffff` of microseconds since 1970 (nine digits of nanoseconds when `unit`
 * is `ns`), with a closing `Z` when `zoned`.
 */
export function timestampText(value: bigint, unit: 'us' | 'ns', zoned: boolean): string {
  const perSecond = unit === 'us' ? 1_000_000n : 1_000_000_000n;
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const seconds = (value - fraction) / perSecond;
  const second = ((seconds % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
  const days = Number((seconds - second) / SECONDS_PER_DAY);
  const digits = padded(Number(fraction), unit === 'us' ? 6 : 9);
  return `${dateText(days)}T${clockText(Number(second))}.${digits}${zoned ? 'Z' : ''}`;
}

/** The plain text of `unscaled / 10^scale`, with exactly `scale` digits after the point. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return (unscaled * 10n ** BigInt(-scale)).toString();
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function clockText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds % 60, 2)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return padded(year, 4);
  return `${year < 0 ? '-' : '+'}${padded(Math.abs(year), 6)}`;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
