import { ERROR_CODES, errorBody, LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine/internal';
import type { Style } from '../style.ts';
import { cut, printable, width, wrap } from '../text.ts';
import { adviceLines } from './next-step.ts';
import { type UsageError, usageFault } from './usage-fault.ts';

/** The lines that report an error, and the exit code. */
export interface ErrorReport {
  readonly lines: readonly string[];
  readonly exit: number;
  /** The wire body, for --json. */
  readonly body: unknown;
}

const USAGE_EXIT = 2;

/**
 * The report of an error: the message, a caret under its place, the nearest correct name and the
 * next step. Lines longer than `columns` wrap, except commands, which users copy. `command`: the id
 * of the command whose help is named.
 */
export function errorReport(
  error: unknown,
  style: Style,
  columns: number,
  command = '',
): ErrorReport {
  const report = reportOf(error, style, columns, command);
  return { ...report, lines: report.lines.flatMap((line) => wrapped(line, columns)) };
}

/** A wrapped line. Commands stay whole, and so do lines with a caret below. */
function wrapped(line: string, columns: number): string[] {
  if (width(line) <= columns || line.startsWith('  lhs ')) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return wrap(line.slice(indent.length), columns - indent.length, '  ').map((l) => indent + l);
}

function reportOf(error: unknown, style: Style, columns: number, command: string): ErrorReport {
  const known = systemFault(error) ?? sourceError(error);
  if (known instanceof LhsError) return ownReport(known, style, columns);
  const usage = error as UsageError;
  if (usage?.oclif?.exit !== undefined) return usageReport(usage, style, command);
  return bugReport(error, style);
}

function ownReport(error: LhsError, style: Style, columns: number): ErrorReport {
  const lines = [`${style.red('error:')} ${printable(flagNames(error.message))}`];
  if (error.place?.text.trim()) lines.push(...caret(error, style, columns));
  for (const line of adviceOf(error)) {
    lines.push(`  ${printable(flagNames(line))}`);
  }
  return { lines, exit: exitOf(error), body: errorBody(error) };
}

/** The words of the command line for errors of services, whose hints speak of requests. */
function adviceOf({ code, hint, next, message }: LhsError): readonly string[] {
  if (code === 'index_busy' && message.startsWith('serve is refused'))
    return ['stop it, or name another folder: --data-dir DIR'];
  if (code === 'unauthenticated' && hint?.includes('Authorization') === true) {
    const sent = process.env.LHS_TOKEN ? ['the token of LHS_TOKEN was sent'] : [];
    return [...sent, 'lhs login'];
  }
  if (code === 'index_busy' && message.includes('is served by')) {
    return [
      'send it to the server: add --url http://HOST:PORT (lhs serve prints it)',
      'it takes definitions whose catalogs its configuration names (docs/serve.md); for others, ' +
        'stop it and run the command again',
    ];
  }
  return adviceLines(hint, next);
}

const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The exit code of an error. A file that this user may not use is a fault of permission. */
function exitOf({ code, details }: LhsError): number {
  const isDenied = code === 'io_error' && DENIED.has(details.errno);
  return ERROR_CODES[isDenied ? 'permission_denied' : code].exit;
}

/** A failed system call that no code has explained; undefined for other errors. */
function systemFault(error: unknown): LhsError | undefined {
  const { code: errno, syscall, path } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || errno === undefined || syscall === undefined) return undefined;
  const details = { errno, ...(path === undefined ? {} : { path }) };
  return new LhsError('io_error', error.message, { details, cause: error });
}

/** Fields of requests that have a flag, at the beginning of a message. */
const FLAGS: Readonly<Record<string, string>> = {
  ...{
    limit: 'limit',
    offset: 'offset',
    sort: 'sort',
    k: 'k',
    filter: 'filter',
    weights: 'weights',
    facets: 'facet',
  },
  ...{ search_after: 'after', default_operator: 'operator', pit_id: 'pit', collapse: 'collapse' },
  ...{ hydrate_columns: 'columns', min_snapshot: 'snapshot-min', query_vector: 'vector' },
  ...{ min_score: 'min-score', vector_field: 'vector-field', rrf_k: 'rrf-k', fields: 'fields' },
};

/** The aggregation of `--stats price` or `--avg price`, also in one of `--terms`. */
const AGGREGATION = /^"aggs\.(?:.+\.aggs\.)?(.+?)(?: (avg|min|max|sum))?\.([a-z_]+)"(?=.*"\1")/;
const AGGREGATION_FLAGS: Readonly<Record<string, string>> = {
  significant_terms: 'significant',
  date_histogram: 'histogram',
  date_part: 'histogram',
};

/** The text with the flags of the command line in place of the fields of a request. */
function flagNames(text: string): string {
  const named = text.replace(
    AGGREGATION,
    (_, field, figure, kind) => `--${figure ?? AGGREGATION_FLAGS[kind] ?? kind} ${field}`,
  );
  return named.replace(/^"([a-z_]+)"|(?<=with )"(search_after)"/g, (whole, first, later) => {
    const flag = FLAGS[first ?? later];
    return flag === undefined ? whole : `--${flag}`;
  });
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

function usageReport(error: UsageError, style: Style, command: string): ErrorReport {
  const typed = ['lhs', ...command.split(':').filter(Boolean)].join(' ');
  const { message, hints } = usageFault(error, typed);
  const lines = [
    `${style.red('error:')} ${printable(message)}`,
    ...hints.map((hint) => `  ${printable(hint)}`),
    `  ${typed} --help`,
  ];
  const exit = error.oclif?.exit ?? USAGE_EXIT;
  const hint = hints.length === 0 ? `${typed} --help` : hints.join('\n');
  return { lines, exit, body: wire('invalid_argument', 400, message, { hint }) };
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

function wire(code: string, status: number, message: string, details: object = {}) {
  return { error: { code, status, message, details } };
}
