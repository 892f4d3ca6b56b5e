import { ERROR_CODES, errorBody, LhsError, nearest } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine';
import { adviceLines } from './next-step.ts';
import type { Style } from './style.ts';
import { cut, printable, width, wrap } from './text.ts';

/** The lines that report an error, and the exit code. */
export interface ErrorReport {
  readonly lines: readonly string[];
  readonly exit: number;
  /** The wire body, for --json. */
  readonly body: unknown;
}

const USAGE_EXIT = 2;

/** Usage errors of oclif carry the exit code with them. */
interface UsageError extends Error {
  readonly oclif?: { readonly exit?: number };
  /** Flags that do not exist, with their dashes. */
  readonly flags?: readonly string[];
  /** Arguments that are missing or wrong. */
  readonly args?: readonly { readonly name: string; readonly description?: string }[];
  readonly parse?: {
    readonly input?: {
      readonly argv?: readonly string[];
      readonly flags?: Readonly<Record<string, unknown>>;
    };
  };
}

/**
 * The report of an error: the message, a caret under its place, the nearest correct name and the
 * next step. On a terminal (`isRead`) long lines wrap, except commands, which users copy.
 */
export function errorReport(
  error: unknown,
  style: Style,
  columns: number,
  isRead = false,
): ErrorReport {
  const report = reportOf(error, style, columns);
  if (!isRead) return report;
  return { ...report, lines: report.lines.flatMap((line) => wrapped(line, columns)) };
}

/** A wrapped line. Commands stay whole, and so do lines with a caret below. */
function wrapped(line: string, columns: number): string[] {
  if (width(line) <= columns || line.startsWith('  lhs ')) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return wrap(line.slice(indent.length), columns - indent.length, '  ').map((l) => indent + l);
}

function reportOf(error: unknown, style: Style, columns: number): ErrorReport {
  const known = sourceError(error);
  if (known instanceof LhsError) return ownReport(known, style, columns);
  const usage = error as UsageError;
  if (usage?.oclif?.exit !== undefined) return usageReport(usage, style);
  return bugReport(error, style);
}

function ownReport(error: LhsError, style: Style, columns: number): ErrorReport {
  const lines = [`${style.red('error:')} ${printable(error.message)}`];
  if (error.place !== undefined) lines.push(...caret(error, style, columns));
  for (const line of adviceLines(error.hint, error.next)) lines.push(`  ${printable(line)}`);
  return { lines, exit: ERROR_CODES[error.code].exit, body: errorBody(error) };
}

/**
 * The line of the text with the error, and `^^^^` below it. A long line is cut around the error.
 */
function caret(error: LhsError, style: Style, columns: number): string[] {
  const { text, from, to } = error.place ?? { text: '', from: 0, to: 0 };
  const start = text.lastIndexOf('\n', Math.max(0, from - 1)) + 1;
  const end = text.indexOf('\n', from);
  const room = Math.max(20, columns - 4);
  const first = Math.max(start, from - Math.floor(room / 2));
  const line = text.slice(first, end < 0 ? text.length : end);
  const before = width(printable(text.slice(first, from)));
  const span = width(printable(text.slice(from, Math.max(to, from + 1)))) || 1;
  const marks = '^'.repeat(Math.max(1, Math.min(span, room - before)));
  return [`  ${cut(printable(line), room)}`, `  ${' '.repeat(before)}${style.red(marks)}`];
}

function usageReport(error: UsageError, style: Style): ErrorReport {
  const { message, hints } = missing(error) ?? refused(error);
  const lines = [
    `${style.red('error:')} ${printable(message)}`,
    ...hints.map((hint) => `  ${printable(hint)}`),
    '  --help shows how it is used',
  ];
  const exit = error.oclif?.exit ?? USAGE_EXIT;
  return { lines, exit, body: wire('invalid_argument', 400, message) };
}

interface Fault {
  readonly message: string;
  readonly hints: readonly string[];
}

/** The arguments that are missing, and the flag that may have taken one as its value. */
function missing({ message, args = [], parse }: UsageError): Fault | undefined {
  if (!/^Missing \d+ required arg/.test(message)) return undefined;
  const names = args.map(({ name, description }) =>
    description === undefined ? `"${name}"` : `"${name}" (${description})`,
  );
  const flags = /\nNote: (.*?) allows? multiple/.exec(message)?.[1].split(', ') ?? [];
  const taken = flags.filter((flag) => parse?.input?.argv?.includes(flag));
  return {
    message: `missing argument${names.length === 1 ? '' : 's'} ${names.join(', ')}`,
    hints: taken.map((flag) => `write arguments before ${flag}, or after --`),
  };
}

/** Any other fault, in the words of oclif. */
function refused(error: UsageError): Fault {
  const whole = error.message.replace(/\nSee more help with --help$/, '').trim();
  const [cause = '', ...notes] = whole
    .replace(/^The following errors? occurred:\s*/, '')
    .split(/\n\s*(?:Note: |(?=Alternatively, ))/);
  const message = cause.trim().replace(/:?\s*\n\s*/g, ': ');
  return { message, hints: [...flagHints(error), ...notes.map((note) => note.trim())] };
}

/** The nearest flag for each that does not exist. */
function flagHints(error: UsageError): string[] {
  const known = Object.keys(error.parse?.input?.flags ?? {});
  return (Array.isArray(error.flags) ? error.flags : []).flatMap((flag) => {
    const near = nearest(String(flag).replace(/^-+/, ''), known);
    if (near !== undefined) return [`did you mean --${near}?`];
    return /^-[^-]/.test(String(flag)) ? ['write a query that begins with "-" after --'] : [];
  });
}

function bugReport(error: unknown, style: Style): ErrorReport {
  const message = error instanceof Error ? error.message : String(error);
  const lines = [
    `${style.red('error:')} ${printable(message)}`,
    '  this is a bug in lhs: please report it with the command and the output of',
    '  lhs doctor, and with --debug for where it happened',
  ];
  return { lines, exit: 1, body: wire('internal', 500, message) };
}

function wire(code: string, status: number, message: string) {
  return { error: { code, status, message, details: {} } };
}
