import { asTyped, placeFlags } from './errors/command-name.ts';
import { safeLine } from './printable.ts';

/** What is at the other end of the streams: a person at a terminal of some width, or a program. */
export interface Terminal {
  /** Columns of stdout: Infinity on a pipe without COLUMNS; 80 if a terminal does not say. */
  readonly width: number;
  /** The same of stderr. */
  readonly errWidth: number;
  /** Whether stdout accepts colors and bold text. */
  readonly color: boolean;
  /** A person reads stdout. */
  readonly interactive: boolean;
  /** Whether stderr is a terminal, where progress can be redrawn. */
  readonly progress: boolean;
  /** Whether questions can be answered. */
  readonly asks: boolean;
  /** Prints lines for people on stdout; a line end inside of one is a blank (printable.ts). */
  out(...lines: readonly string[]): void;
  /** Prints lines for people on stderr, likewise. */
  err(...lines: readonly string[]): void;
  /** Prints a text for programs on stdout, as it is: jsonText has made it, or it is a key. */
  data(text: string): void;
}

/** NO_COLOR (no-color.org), FORCE_COLOR and TERM=dumb are respected, in that order. */
export function wantsColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}

/** The terminal of this process. */
export function processTerminal(
  env: NodeJS.ProcessEnv = process.env,
  argv: readonly string[] = process.argv.slice(2),
): Terminal {
  const place = placeFlags(argv);
  const interactive = process.stdout.isTTY === true;
  const color = wantsColor(env, interactive);
  const lines = (texts: readonly string[], isMessage: boolean) =>
    texts.map((text) => `${asTyped(safeLine(text, color), env, place, isMessage)}\n`).join('');
  return Object.freeze({
    width: columns(process.stdout, env),
    errWidth: columns(process.stderr, env),
    color,
    interactive,
    progress: process.stderr.isTTY === true && env.TERM !== 'dumb',
    asks: process.stdin.isTTY === true && process.stderr.isTTY === true,
    out: (...texts: readonly string[]) => void process.stdout.write(lines(texts, false)),
    err: (...texts: readonly string[]) => void process.stderr.write(lines(texts, true)),
    data: (text: string) => void process.stdout.write(`${text}\n`),
  });
}

/** Nothing is cut or wrapped on a pipe, unless COLUMNS asks for it. */
function columns(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): number {
  const isTerminal = stream.isTTY === true;
  const said = Number((isTerminal ? stream.columns : undefined) ?? env.COLUMNS);
  if (Number.isInteger(said) && said >= LEAST_COLUMNS) return said;
  return isTerminal ? USUAL_COLUMNS : Number.POSITIVE_INFINITY;
}
const LEAST_COLUMNS = 20;
const USUAL_COLUMNS = 80;
