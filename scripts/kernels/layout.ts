/** Headers of the kernels: the layouts of memory that the engine shares with them, by module. */

import { BEGINS, GOES_ON, PRIME } from '../../packages/engine/src/embed/static/piece-hash.ts';
import { KINDS, MOST_IDS, STATE } from '../../packages/engine/src/embed/static/text-state.ts';
import {
  TERM_HASH,
  TERM_MEMORY,
  TOKEN_RECORD,
} from '../../packages/engine/src/inverted/write/term-layout.ts';
import {
  APART,
  BEST,
  BEST_DOC_BYTES,
  DENSE,
  FLOAT_UP,
  GROUP,
  LIST,
  LIST_BLOCK,
  MOST_BEST_DOCS,
  MOST_FREQUENCY,
  RANGE,
  SHORT,
} from '../../packages/engine/src/postings/format.ts';
import { POSTINGS_MEMORY } from '../../packages/engine/src/postings/kernel-layout.ts';
import * as memory from '../../packages/engine/src/scoring/kernel/kernel-memory.ts';
import * as phraseMemory from '../../packages/engine/src/scoring/phrase/memory.ts';

type Numbers = Readonly<Record<string, number>>;

/** Constants of an object: `${prefix}${name}`. */
const defines = (values: Numbers, prefix = ''): string =>
  Object.entries(values)
    .map(([name, value]) => `#define ${prefix}${name} ${value}\n`)
    .join('');

/**
 * A struct with fields at these offsets, which may overlap; a field is an i32 unless `types` names
 * another type, as `f64` or `i32[4]`.
 */
function struct(
  name: string,
  offsets: Numbers,
  types: Readonly<Record<string, string>> = {},
  bytes = 0,
): string {
  const fields = Object.entries(offsets).map(([field, at]) => {
    const [, type, size] = /^([^[]*)(.*)$/.exec(types[field] ?? 'i32') ?? [];
    return `  struct { u8 before_${field}[${at}]; ${type} ${field}${size}; } PACKED;\n`;
  });
  return `typedef union {\n${fields.join('')}  u8 bytes[${bytes}];\n} PACKED ${name};\n`;
}

const inverted = (): string => {
  const { bytes, ...record } = TOKEN_RECORD;
  return `${defines(TERM_MEMORY)}${defines(TERM_HASH, 'HASH_')}${struct('Token', record)}
_Static_assert(sizeof(Token) == ${bytes}, "a token");
`;
};

const postings = (): string => {
  const sizes = { BEST_IMPACTS: BEST, BEST_DOC_BYTES, GROUP, LIST_BLOCK, MOST_BEST_DOCS, RANGE };
  return defines({ ...POSTINGS_MEMORY, ...sizes, APART, FLOAT_UP, MOST_FREQUENCY });
};

const embed = (): string =>
  defines({ BEGINS, GOES_ON, PRIME, MOST_IDS }) + defines(KINDS, 'KINDS_') + struct('State', STATE);

/** Offsets from the first one. */
const relative = (offsets: Numbers, from: number): Numbers =>
  Object.fromEntries(Object.entries(offsets).map(([name, at]) => [name, at - from]));

/** The numbers that a module exports, by name. */
const numbersOf = (exports: Readonly<Record<string, unknown>>): Numbers =>
  Object.fromEntries(
    Object.entries(exports)
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Structs of terms as clauses describe them, and the numbers of kernel-memory.ts. */
const terms = (): string => {
  const fields = { ...memory.FIELD, ...phraseMemory.LIST_FIELD };
  return defines(numbersOf(memory)) + struct('Term', fields, { weight: 'f64' }, memory.TERM_BYTES);
};

const typed = (type: string, names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.split(' ').map((name) => {
      const [field, size = ''] = name.split(/(?=\[)/);
      return [field, type + size];
    }),
  );

const QUERY_TYPES = {
  ...typed('f64', 'theta averageLength scale docs most ceiling boosts[8] weights[8] shares[8]'),
  ...typed('f64', 'sums[64] topScores[64] candidateScores[160]'),
  ...typed('i32', 'lengths[8] sets[64] topDocs[64] topRanks[64] buckets[258] frequencies[8]'),
  ...typed(
    'i32',
    'orders[8] firsts[8] bestSizes[8] survivors[160] places[160] found[320] common[320]',
  ),
  ...typed('i32', 'candidates[160] segmentOrder[256] survivorMarks[512]'),
  ...typed('u8', 'bestScores[1] buffers[1] termBounds[1] unpack[1] allowed[1]'),
  ...typed('Slot *', 'activeTerms[8] excludedTerms[8]'),
  sieves: 'Sieve[8]',
  termSlots: 'Slot[8]',
  segments: 'Entry[256]',
  emitted: 'Emitted[1024]',
  text: 'u8[8][256]',
};

const scoring = (): string => {
  const { SEGMENT, QUERY, ENTRY, SLOT, EMITTED } = memory;
  const at = SEGMENT.index;
  const entry = { scale: 'f64', bound: 'f64', found: 'Found[8]', living: 'i32[8]' };
  return `${terms()}${defines({ DENSE, LIST, SHORT, BEST, BEST_DOC_BYTES })}
${defines(memory.BUFFER, 'BUFFER_')}
${struct('Found', { df: 0, ref: 4 })}${struct('Sieve', { bitmap: 0, flip: 4 })}
${struct('Segment', relative(SEGMENT, at))}
${struct('Entry', { segment: 0, ...ENTRY }, { segment: 'Segment', ...entry }, memory.ENTRY_BYTES)}
${struct('Slot', SLOT, { weight: 'f64', max: 'f64', most: 'f64' }, memory.SLOT_BYTES)}
${struct('Emitted', EMITTED, { score: 'f64' }, memory.EMITTED_BYTES)}
${struct('Query', relative(QUERY, at), QUERY_TYPES)}
#define SEGMENT ((Segment *)${at})
#define QUERY ((Query *)${at})
`;
};

const phrase = (): string => {
  const numbers = { ...numbersOf(phraseMemory), UNPACK_TABLES: memory.QUERY.unpack };
  return terms() + defines(numbers);
};

/** The text of layout.h by module. */
export const LAYOUTS: Readonly<Record<string, () => string>> = {
  embed,
  inverted,
  phrase,
  postings,
  scoring,
};
