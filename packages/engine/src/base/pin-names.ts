import { LIMITS } from './limits.ts';

const PIN_FILE = /^pin\.([0-9a-f]{16})\.([0-9]{1,15})$/;

/** A pin (index/commits/pins.ts) as its file's name tells it. */
export interface Pin {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly file: string;
}

/** The pins among a folder's file names, expired ones too. */
export function pinsAmong(names: readonly string[]): readonly Pin[] {
  return names.flatMap((file) => {
    const match = PIN_FILE.exec(file);
    return match === null ? [] : [{ id: match[1], expiresAt: Number(match[2]), file }];
  });
}

/**
 * The pins among a folder's file names that hold. One that claims more than the limit was made
 * under another clock: it is expired, so that no clock keeps files for ever.
 */
export const heldPins = (names: readonly string[], now: number): readonly Pin[] =>
  pinsAmong(names).filter(
    ({ expiresAt }) => expiresAt > now && expiresAt <= now + LIMITS.pinMillis,
  );
