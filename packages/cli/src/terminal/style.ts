/**
 * Words for how text looks. On a plain terminal every one of them leaves the text as it is, except
 * `mark`.
 */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** A matched term: bold and reverse with colour, «…» without. */
  readonly mark: (text: string) => string;
}

const sgr = (on: string, off: string) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;
const plain = (text: string) => text;

const COLOURED: Style = Object.freeze({
  bold: sgr('1', '22'),
  dim: sgr('2', '22'),
  red: sgr('31', '39'),
  yellow: sgr('33', '39'),
  green: sgr('32', '39'),
  cyan: sgr('36', '39'),
  mark: sgr('1;7', '22;27'),
});

const PLAIN: Style = Object.freeze({
  bold: plain,
  dim: plain,
  red: plain,
  yellow: plain,
  green: plain,
  cyan: plain,
  mark: (text: string) => `«${text}»`,
});

/** The style for a terminal with or without colour. */
export function styleFor(terminal: { readonly color: boolean }): Style {
  return terminal.color ? COLOURED : PLAIN;
}
