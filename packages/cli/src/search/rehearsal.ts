/** Rehearsals on the command line: the file of searches, the report and the gates. */
import {
  type Coordinates,
  LhsError,
  type Rehearsal,
  type RehearsedQuery,
  type RehearsedRequest,
} from '@lakehouse-search/contract';
import { jsonValue } from '@lakehouse-search/contract/internal';
import { readLines } from '../files/read-text.ts';
import { bytes, duration, plural } from '../terminal/figures.ts';
import { table } from '../terminal/table.ts';
import { printable } from '../terminal/text.ts';

const GATES = ['overlap', 'ndcg'] as const;

/** A demand on a rehearsal: an average that must be reached. */
export interface Gate {
  readonly figure: (typeof GATES)[number];
  readonly least: number;
}

/**
 * The searches of a file, one per line: a query string, or `{"mode", "request", "judgments"}`.
 * Throws invalid_argument with the line's place.
 */
export async function readRehearsed(file: string): Promise<readonly RehearsedRequest[]> {
  const queries: RehearsedRequest[] = [];
  let number = 0;
  for await (const line of readLines(file)) {
    number++;
    if (line.trim() !== '') queries.push(rehearsedLine(line, `${file}:${number}`));
  }
  return queries;
}

function rehearsedLine(line: string, place: string): RehearsedRequest {
  if (!line.trimStart().startsWith('{')) return { request: { query: line.trim() } };
  return jsonValue(line, place) as RehearsedRequest;
}

/** A gate from `overlap=0.8` or `ndcg=-0.01`. Throws invalid_argument. */
export function readGate(text: string): Gate {
  const [name, value, ...more] = text.split('=');
  const figure = GATES.find((gate) => gate === name);
  const least = Number(value);
  if (figure !== undefined && value?.trim() && more.length === 0 && Number.isFinite(least)) {
    return { figure, least };
  }
  const message = `--gate ${JSON.stringify(text)}: expected overlap=0.8 or ndcg=-0.01`;
  throw new LhsError('invalid_argument', message);
}

/** A sentence for each gate that a rehearsal fails. */
export function failedGates(rehearsal: Rehearsal, gates: readonly Gate[]): readonly string[] {
  return gates.flatMap(({ figure, least }) => {
    const reached = figureOf(rehearsal, figure);
    if (reached === null) return [`gate ${figure}=${least}: no query gives this figure`];
    return reached >= least ? [] : [`gate ${figure}=${least}: it is ${reached.toFixed(3)}`];
  });
}

/** `ndcg` is the change. */
function figureOf({ overlap, ndcg }: Rehearsal, figure: Gate['figure']): number | null {
  if (figure === 'overlap') return overlap;
  return ndcg === null ? null : ndcg.to - ndcg.from;
}

/** A report as people read it: each query, then averages, size and time. */
export function rehearsalLines(rehearsal: Rehearsal, columns: number): readonly string[] {
  const { rows, from, to, queries, overlap, ndcg } = rehearsal;
  const titles = ['query', 'mode', 'overlap', 'moved', 'entered', 'left', 'nDCG'];
  const head = titles.map((title) => ({ title }));
  const figures = [
    `${plural(rows, 'row')} of the table`,
    `${bytes(from.bytes)} → ${bytes(to.bytes)}`,
    `built in ${duration(from.build_ms)} → ${duration(to.build_ms)}`,
    ...(from.search_us === null || to.search_us === null
      ? []
      : [`median search ${from.search_us} → ${to.search_us} µs`]),
  ];
  const averages = [
    ...(overlap === null ? [] : [`overlap@10 ${overlap.toFixed(3)}`]),
    ...(ndcg === null ? [] : [`nDCG@10 ${ndcg.from.toFixed(3)} → ${ndcg.to.toFixed(3)}`]),
  ];
  const none = 'no queries: save some (lhs query save) or name a file with --queries';
  return [
    ...(queries.length === 0 ? [none] : table(head, queries.map(row), columns)),
    '',
    `rehearsal  ${figures.join(' · ')}`,
    ...(averages.length === 0 ? [] : [`           ${averages.join(' · ')}`]),
  ];
}

function row({ mode, query, overlap, moved, entered, left, ndcg, error }: RehearsedQuery) {
  const change = ndcg === undefined ? '' : `${ndcg.from.toFixed(2)} → ${ndcg.to.toFixed(2)}`;
  if (error !== undefined) return [query, mode, `fails: ${printable(error)}`, '', '', '', change];
  const ranks = moved === 0 ? '' : moved.toFixed(1);
  return [query, mode, overlap.toFixed(2), ranks, keysText(entered), keysText(left), change];
}

const keysText = (keys: readonly Coordinates[]): string =>
  keys.map(({ identifier }) => identifier.map(({ value }) => value).join(',')).join(' ');
