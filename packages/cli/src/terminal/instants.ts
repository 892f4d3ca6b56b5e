/** Instants as people read them: a day, or a day and a time without needless digits, in UTC. */
import type { Json } from '@lakehouse-search/contract';

const ISO = /^([+-]?\d{4,}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z$/;
const MICROS = 1_000_000n;

/** Microseconds since 1970 as ISO 8601; other values, and years that Date lacks, unchanged. */
export function isoInstant(micros: Json): Json {
  if (typeof micros !== 'number' && !/^-?\d+$/.test(String(micros))) return micros;
  const whole = BigInt(typeof micros === 'number' ? Math.floor(micros) : String(micros));
  const fraction = ((whole % MICROS) + MICROS) % MICROS;
  const at = new Date(Number((whole - fraction) / 1000n));
  if (Number.isNaN(at.getTime())) return micros;
  return `${at.toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`;
}

/** `2024-06-01`, `2024-06-01 14:22`, `2024-06-01 14:22:10.5` of an ISO 8601 text in UTC. */
export function instantText(text: string): string {
  const [, day, minutes, seconds = ''] = ISO.exec(text) ?? [];
  if (day === undefined) return text;
  const rest = seconds.replace(/\.0+$|(?<=\.\d*?)0+$/, '').replace(/^:00$/, '');
  const time = `${minutes}${rest}`;
  return time === '00:00' ? day : `${day} ${time}`;
}
