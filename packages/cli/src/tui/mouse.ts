import type { Action } from './state/events.ts';

/** Ink enters and leaves the terminal's second page with these. */
const [ENTERS, LEAVES] = ['\u001b[?1049h', '\u001b[?1049l'];
/** Reports of buttons and the wheel (1000), in decimal numbers (1006). */
const ON = '\u001b[?1000h\u001b[?1006h';
const OFF = '\u001b[?1006l\u001b[?1000l';

/** The streams that the screen reads and draws on. */
interface Streams {
  readonly input: Pick<NodeJS.ReadStream, 'read'>;
  readonly output: Pick<NodeJS.WriteStream, 'write'>;
}

/**
 * Has the terminal report the mouse exactly as long as its second page is shown, however the screen
 * ends. Reports are taken out of the input, because Ink would drop them. Comes back with the
 * function that ends this.
 */
export function watchMouse(
  { input, output }: Streams,
  report: (action: Action) => void,
): () => void {
  const { read } = input;
  const { write } = output;
  input.read = (size?: number) => {
    const chunk: unknown = read.call(input, size);
    return typeof chunk === 'string' ? withoutReports(chunk, report) : chunk;
  };
  const framed = (chunk: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(write, output, [typeof chunk === 'string' ? withMouse(chunk) : chunk, ...rest]);
  output.write = framed as typeof write;
  return () => {
    input.read = read;
    output.write = write;
  };
}

const withMouse = (text: string): string =>
  text.replaceAll(ENTERS, () => ENTERS + ON).replaceAll(LEAVES, () => OFF + LEAVES);

const ESC = '\u001b';
/** A report: button, column, row from 1; M: pressed, m: released. */
const REPORT = new RegExp(`${ESC}\\[<(\\d+);(\\d+);(\\d+)([Mm])`, 'g');

function withoutReports(text: string, report: (action: Action) => void): string {
  return text.replace(REPORT, (_, button, column, row, end) => {
    const action = mouseAction(Number(button), Number(column), Number(row));
    if (end === 'M' && action !== undefined) report(action);
    return '';
  });
}

const [LEFT_BUTTON, WHEEL_UP, WHEEL_DOWN] = [0, 64, 65];

/** What a pressed button means; undefined for buttons without a meaning. */
function mouseAction(button: number, column: number, row: number): Action | undefined {
  if (button === LEFT_BUTTON) return { type: 'click', column, row };
  if (button === WHEEL_UP) return { type: 'wheel', sign: -1, column };
  return button === WHEEL_DOWN ? { type: 'wheel', sign: 1, column } : undefined;
}
