/** The time zone of the instants on the screen. */

/** `UTC`, or the zone of the browser. */
export type ZoneChoice = 'UTC' | 'local';

let choice: ZoneChoice = 'UTC';

/** The zone in force. */
export const zoneChoice = (): ZoneChoice => choice;

/** Shows instants in another zone from now on; screens that are drawn stay as they are. */
export function setZone(next: ZoneChoice): void {
  choice = next;
}

/** The name of a zone: `UTC`, `Europe/Berlin`. */
export const zoneName = (zone: ZoneChoice): string =>
  zone === 'UTC' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `2026-11-21 10:41:07` of an instant, in the zone in force. */
export function instantIn(at: Date): string {
  const shown = choice === 'UTC' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 19).replace('T', ' ');
}
