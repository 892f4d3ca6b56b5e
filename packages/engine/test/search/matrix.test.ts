// @module-tag slow
/**
 * Every kind of query with every option, alone and two by two, against brute force: matches,
 * scores, orders, pages, groups, marks, counts, rows, on the state that is asked for. Prints
 * docs/matrix.md, which has to be what it prints (LHS_UPDATE_PAGES=1 writes it). LHS_MATRIX_QUERIES
 * sets the queries a pair (default 2), LHS_SEED the seed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswer } from './matrix/expect-answer.ts';
import { type MatrixLake, openMatrixLake } from './matrix/matrix-lake.ts';
import { OPTIONS, type Option, type Question } from './matrix/options.ts';
import { type Passed, printMatrix } from './matrix/print-matrix.ts';
import { QUERY_KINDS } from './matrix/query-kinds.ts';
import { MODES } from './matrix/semantic-kinds.ts';

const QUERIES = Number(process.env.LHS_MATRIX_QUERIES ?? 2);
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const PAGE = fileURLToPath(new URL('../../../../docs/matrix.md', import.meta.url));
const passed: Passed = { kinds: new Map(), pairs: new Map() };

let world: MatrixLake;
beforeAll(async () => {
  world = await openMatrixLake(SEED);
}, 600_000);
afterAll(() => world?.lake.close());

/** By name: queries of every kind, and the other modes. */
const QUESTIONS: Readonly<Record<string, fc.Arbitrary<Question>>> = {
  ...Object.fromEntries(
    Object.entries(QUERY_KINDS).map(([kind, queries]) => [
      kind,
      queries.map((query): Question => ({ mode: 'lexical', query })),
    ]),
  ),
  ...MODES,
};

/** No option, each alone, and every two of them. */
const SETS: readonly (readonly Option[])[] = [
  [],
  ...OPTIONS.map((option) => [option]),
  ...OPTIONS.flatMap((a, i) => OPTIONS.slice(i + 1).map((b) => [a, b])),
];

const count = (of: Map<string, number>, name: string) => of.set(name, (of.get(name) ?? 0) + 1);

describe(`every kind of query with every two options (seed ${SEED})`, () => {
  it.each(Object.keys(QUESTIONS))('%s', async (kind) => {
    const all = fc.sample(QUESTIONS[kind], { seed: SEED, numRuns: SETS.length * QUERIES });
    for (const [i, options] of SETS.entries()) {
      for (const question of all.slice(i * QUERIES, (i + 1) * QUERIES)) {
        const place = `${options.join(' + ')}: ${JSON.stringify(question)}`;
        await expectAnswer(world, question, new Set(options)).catch((error: Error) => {
          error.message = `${place}\n${error.message}`;
          throw error;
        });
      }
      const mode = kind in MODES ? kind : 'lexical';
      for (const option of options) count(passed.kinds, `${kind} ${option}`);
      count(passed.pairs, `${mode} ${options.join(' ')}`);
    }
  });

  it.skipIf(QUERIES !== 2)('is what docs/matrix.md says', () => {
    const page = printMatrix(passed, QUERIES);
    if (process.env.LHS_UPDATE_PAGES === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
