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
  const kindsOf: Readonly<Record<string, number>> = {
    lexical: names.length,
    semantic: 1,
    hybrid: 1,
  };
  const modes = Object.entries(kindsOf);
  const whole = (kind: string, option: string) => kinds.get(`${kind} ${option}`) === OPTIONS.length;
  const byMode = modes.map(([mode]) => {
    const own = mode === 'lexical' ? names : [mode];
    const cells = OPTIONS.map((option) => (own.every((kind) => whole(kind, option)) ? '✓' : ''));
    return row([mode, ...cells]);
  });
  const byKind = names.map((kind) => {
    const cells = OPTIONS.map((option) => (whole(kind, option) ? '✓' : ''));
    return row([kind, ...cells]);
  });
  const byPair = OPTIONS.map((a, i) => {
    const cells = OPTIONS.map((b, j) => {
      const set = i === j ? a : i < j ? `${a} ${b}` : `${b} ${a}`;
      return modes.every(([mode, wanted]) => pairs.get(`${mode} ${set}`) === wanted) ? '✓' : '';
    });
    return row([a, ...cells]);
  });
  return [
    '<!-- Printed by packages/engine/test/search/matrix.test.ts (LHS_UPDATE_PAGES=1 writes it), ' +
      'which fails when it is stale. -->',
    '',
    '# What goes with what',
    '',
    'Every kind of query works with everything that a search can be asked for beside it, ' +
      'and all of that together two by two. Each cell was',
    'compared with brute force over plain rows: matches, exact totals, scores, order, ' +
      'pages, groups and their counts, marks, facets,',
    'aggregations, rows of the table; `PIT` answers from a point in time behind which ' +
      'rows were deleted, added and the index rebuilt.',
    '',
    '## Modes',
    '',
    '`lexical` are all kinds of queries below, `semantic` the nearest rows of a vector, ' +
      '`hybrid` words and a vector fused.',
    '',
    row(['', ...OPTIONS]),
    rule(OPTIONS.length + 1),
    ...byMode,
    '',
    '## Kinds of queries',
    '',
    `✓: ${queries} random queries with the option alone, and ${queries} with it and each ` +
      'of the others.',
    '',
    row(['', ...OPTIONS]),
    rule(OPTIONS.length + 1),
    ...byKind,
    '',
    '## Options among each other',
    '',
    `✓: ${queries} random queries of each of the ${names.length} kinds, semantic and ` +
      'hybrid searches with both; on the diagonal with the one alone.',
    '',
    row(['', ...OPTIONS]),
    rule(OPTIONS.length + 1),
    ...byPair,
    '',
  ].join('\n');
}
