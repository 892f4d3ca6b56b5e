import { OPTIONS } from './options.ts';
import { QUERY_KINDS } from './query-kinds.ts';

/** Sets of options that passed: by kind of query and option, and by options. */
export interface Passed {
  readonly kinds: Map<string, number>;
  readonly pairs: Map<string, number>;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const rule = (cells: number): string => `|${'---|'.repeat(cells)}`;

/** docs/matrix.md: a cell is a tick where everything that stands in it passed, else a gap. */
export function printMatrix({ kinds, pairs }: Passed, queries: number): string {
  const names = Object.keys(QUERY_KINDS);
  const byKind = names.map((kind) => {
    const cells = OPTIONS.map((option) => tick(kinds.get(`${kind} ${option}`), OPTIONS.length));
    return row([kind, ...cells]);
  });
  const byPair = OPTIONS.map((a, i) => {
    const cells = OPTIONS.map((b, j) => {
      const set = i === j ? a : i < j ? `${a} ${b}` : `${b} ${a}`;
      return tick(pairs.get(set), names.length);
    });
    return row([a, ...cells]);
  });
  return [
    '<!-- Printed by packages/engine/test/matrix.test.ts (LHS_UPDATE_PAGES=1 writes it), which fails when it is stale. -->',
    '',
    '# What goes with what',
    '',
    'Every kind of query works with everything that a search can be asked for beside it, and all of that together two by two. Each cell was',
    'compared with brute force over plain rows: matches, exact totals, scores, order, pages, groups and their counts, marks, facets,',
    'aggregations, rows of the table; `PIT` answers from a point in time behind which rows were deleted, added and the index rebuilt.',
    '',
    '## Kinds of queries',
    '',
    `✓: ${queries} random queries with the option alone, and ${queries} with it and each of the others.`,
    '',
    row(['', ...OPTIONS]),
    rule(OPTIONS.length + 1),
    ...byKind,
    '',
    '## Options among each other',
    '',
    `✓: ${queries} random queries of each of the ${names.length} kinds with both; on the diagonal with the one alone.`,
    '',
    row(['', ...OPTIONS]),
    rule(OPTIONS.length + 1),
    ...byPair,
    '',
  ].join('\n');
}

const tick = (passed: number | undefined, wanted: number): string => (passed === wanted ? '✓' : '');
