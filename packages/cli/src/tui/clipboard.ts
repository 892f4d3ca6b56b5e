/**
 * The sequence that puts a text on the clipboard of the terminal at the person's end (OSC 52, xterm
 * control sequences): it goes through ssh; tmux passes it on where `set-clipboard` is on.
 */
export function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}
