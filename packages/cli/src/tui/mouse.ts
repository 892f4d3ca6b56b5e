/** Ink enters and leaves the terminal's second page with these. */
const [ENTERS, LEAVES] = ['\u001b[?1049h', '\u001b[?1049l'];
/** Reports of buttons and the wheel (1000), in decimal numbers (1006). */
const ON = '\u001b[?1000h\u001b[?1006h';
const OFF = '\u001b[?1006l\u001b[?1000l';

/** The stream that the screen draws on. */
type Output = Pick<NodeJS.WriteStream, 'write'>;

/**
 * Has the terminal report the mouse exactly as long as its second page is shown, however the screen
 * ends. Comes back with the function that ends this.
 */
export function reportsMouse(output: Output): () => void {
  const { write } = output;
  const own = (chunk: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(write, output, [typeof chunk === 'string' ? framed(chunk) : chunk, ...rest]);
  output.write = own as typeof write;
  return () => {
    output.write = write;
  };
}

const framed = (text: string): string =>
  text.replaceAll(ENTERS, () => ENTERS + ON).replaceAll(LEAVES, () => OFF + LEAVES);
