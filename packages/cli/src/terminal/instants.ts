/** Instants as people read them: a day, or a day and a time without needless digits, in UTC. */
const ISO = /^([+-]?\d{4,}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z$/;

/** `2024-06-01`, `2024-06-01 14:22`, `2024-06-01 14:22:10.5` of an ISO 8601 text in UTC. */
export function instantText(text: string): string {
  const [, day, minutes, seconds = ''] = ISO.exec(text) ?? [];
  if (day === undefined) return text;
  const rest = seconds.replace(/\.0+$|(?<=\.\d*?)0+$/, '').replace(/^:00$/, '');
  const time = `${minutes}${rest}`;
  return time === '00:00' ? day : `${day} ${time}`;
}
