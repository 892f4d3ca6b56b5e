import { OPTIONS } from './options.ts';
import { QUERY_KINDS } from './query-kinds.ts';

/** Sets of options that passed: by kind of query and option, and by options. */
export interface Passed {
  readonly kinds: Map<string, number>;
  readonly pairs: Map<string, number>;
}

const KINDS = Object.keys(QUERY_KINDS);
const MODES: Readonly<Record<string, number>> = { lexical: KINDS.length, semantic: 1, hybrid: 1 };

/** Combinations that did not pass: a kind of query with an option, or two options in a mode. */
function missing({ kinds, pairs }: Passed): string[] {
  const byKind = [...KINDS, 'semantic', 'hybrid'].flatMap((kind) =>
    OPTIONS.filter((option) => kinds.get(`${kind} ${option}`) !== OPTIONS.length).map(
      (option) => `${kind} with ${option}`,
    ),
  );
  const sets = OPTIONS.flatMap((a, i) => [a, ...OPTIONS.slice(i + 1).map((b) => `${a} ${b}`)]);
  const byPair = Object.entries(MODES).flatMap(([mode, wanted]) =>
    sets.filter((set) => pairs.get(`${mode} ${set}`) !== wanted).map((set) => `${mode}: ${set}`),
  );
  return [...byKind, ...byPair];
}

/** docs/matrix.md: the modes, kinds and options that go together, and the exceptions. */
export function printMatrix(passed: Passed, queries: number): string {
  const exceptions = missing(passed);
  return `<!-- Printed by packages/engine/test/search/matrix.test.ts -->

# Supported combinations

Every mode and every kind of query works with every option, and with every two of them.

| | |
|---|---|
| modes | lexical, semantic, hybrid |
| kinds of queries | ${KINDS.join(', ')} |
| options | ${OPTIONS.join(', ')} |
| exceptions | ${exceptions.length === 0 ? 'none' : exceptions.join('; ')} |

A test runs ${queries} random queries per kind for each option and each pair of options. It compares
them with brute force over plain rows: matches, exact totals, scores, order, pages, groups and
their counts, marks, facets, aggregations and rows of the table. \`PIT\` is a point in time after
which rows were deleted and added and the index was rebuilt.
`;
}
