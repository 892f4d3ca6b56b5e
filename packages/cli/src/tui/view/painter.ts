import type { State } from '../state/state.ts';
import { paint } from './paint.ts';
import { screenLines } from './screen.ts';

/** One frame at a time for terminals that know DEC mode 2026; no wrapping, whatever a width is. */
const BEGIN = '\u001b[?2026h\u001b[?7l';
/** The cursor is at the top, so line ends from other programs do not scroll the screen. */
const END = '\u001b[H\u001b[?7h\u001b[?2026l';
const ERASE = '\u001b[2J';
const ERASE_ROW = '\u001b[2K';

/**
 * Puts the rows of the screen that have changed on the terminal, each at its absolute place: 1. the
 * state as lines; 2. lines as text; 3. those that differ from what is there, in one write. Where
 * the terminal takes another number of columns for a text than we do, no row can push another away.
 */
export class Painter {
  readonly #write: (text: string) => unknown;
  readonly #color: boolean;
  #drawn: readonly string[] | undefined;
  #isPaused = false;

  constructor(write: (text: string) => unknown, color: boolean) {
    this.#write = write;
    this.#color = color;
  }

  /** Draws what has changed; the whole screen where nothing of it is known to be there. */
  draw(state: State): void {
    if (this.#isPaused) return;
    const rows = screenLines(state).map((line) => paint(line, this.#color));
    const drawn = this.#drawn;
    const changed = rows.flatMap((row, i) => (row === drawn?.[i] ? [] : [placed(row, i)]));
    this.#drawn = rows;
    if (drawn === undefined) changed.unshift(ERASE);
    if (changed.length > 0) this.#write(`${BEGIN}${changed.join('')}${END}`);
  }

  /** Nothing that was drawn can be counted on: the size has changed, or others have written. */
  forget(): void {
    this.#drawn = undefined;
  }

  /** The terminal belongs to somebody else. */
  pause(): void {
    this.#isPaused = true;
  }

  /** It is ours again, and empty. */
  resume(state: State): void {
    this.#isPaused = false;
    this.forget();
    this.draw(state);
  }
}

/** A row at its place, which is erased first: terminals skip cells behind some emoji. */
const placed = (row: string, index: number): string =>
  `\u001b[${index + 1};1H${ERASE_ROW}${row.trimEnd()}`;
