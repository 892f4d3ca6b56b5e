/**
 * A whole query of up to four terms over all segments of an arena in two calls: `lookup` finds and
 * weighs the terms; `query` opens them, intersects, scores, keeps the best. In the language of language.ts; memory: kernel-memory.ts.
 */
import { compile, type Signatures } from './language.ts';
import { bestDocs } from './query/best-docs.ts';
import { blockBounds } from './query/block-bounds.ts';
import { blocks } from './query/blocks.ts';
import { count } from './query/count.ts';
import { dense } from './query/dense.ts';
import { dictionaryBlock } from './query/dictionary-block.ts';
import { lists } from './query/lists.ts';
import { lookup } from './query/lookup.ts';
import { meet } from './query/meet.ts';
import { open } from './query/open.ts';
import { plan } from './query/plan.ts';
import { readAhead } from './query/read-ahead.ts';
import { run } from './query/run.ts';
import { score } from './query/score.ts';
import { survivors } from './query/survivors.ts';

const i32 = (n: number) => Array.from({ length: n }, () => 'i32' as const);
const RANGES = { params: [...i32(7), 'f64', 'f64', 'f64'], result: 'i32' } as const;
const BOUNDS = { params: [...i32(3), 'f64', 'f64'], result: 'i32' } as const;
const KNOWN: Signatures = {
  log: { params: ['f64'], result: 'f64' },
  readClock: { params: [], result: '' },
  follows: { params: i32(2), result: 'i32' },
  bounds2: BOUNDS,
  bounds3: BOUNDS,
  bounds4: BOUNDS,
  ranges1: RANGES,
  ranges2: RANGES,
  ranges3: RANGES,
  ranges4: RANGES,
};

/** Functions `lookup` and `query`, and what they call. */
export const query = compile(
  [
    dictionaryBlock,
    lookup,
    open,
    blocks,
    score,
    meet,
    blockBounds,
    survivors,
    lists,
    dense,
    plan,
    count,
    bestDocs,
    readAhead,
    run,
  ].join('\n'),
  KNOWN,
);
