/** What is at the other end of the streams: a person at a terminal of some width, or a program. */
export interface Terminal {
  /** Columns; 80 where nobody says. */
  readonly width: number;
  /** Colour and weight may be used on stdout. */
  readonly color: boolean;
  /** A person reads stdout. */
  readonly interactive: boolean;
  /** A person reads stderr: progress may be redrawn. */
  readonly progress: boolean;
  /** A person can be asked. */
  readonly asks: boolean;
  out(text: string): void;
  err(text: string): void;
}

/** NO_COLOR (no-color.org), FORCE_COLOR and TERM=dumb are respected, in that order. */
export function wantsColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}

/** The terminal of this process. */
export function processTerminal(env: NodeJS.ProcessEnv = process.env): Terminal {
  const interactive = process.stdout.isTTY === true;
  return Object.freeze({
    width: columns(env),
    color: wantsColor(env, interactive),
    interactive,
    progress: process.stderr.isTTY === true && env.TERM !== 'dumb',
    asks: process.stdin.isTTY === true && process.stderr.isTTY === true,
    out: (text: string) => void process.stdout.write(`${text}\n`),
    err: (text: string) => void process.stderr.write(`${text}\n`),
  });
}

function columns(env: NodeJS.ProcessEnv): number {
  const asked = Number(process.stdout.columns ?? env.COLUMNS);
  return Number.isInteger(asked) && asked >= 20 ? asked : 80;
}
