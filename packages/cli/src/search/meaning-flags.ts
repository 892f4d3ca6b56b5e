import {
  type HybridRequest,
  LhsError,
  type SearchMode,
  type SemanticRequest,
} from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { readText } from '../files/read-text.ts';
import type { SearchQuestion } from './question.ts';
import { list, type SearchFlags, searchRequest } from './search-flags.ts';

/** The flags of a search by meaning. */
export const nearestFlags = {
  k: Flags.integer({
    description: 'nearest rows that are taken (100, hybrid 10)',
    helpValue: 'N',
    min: 1,
  }),
  'vector-field': Flags.string({
    description: 'the VECTOR field (the only one)',
    helpValue: 'FIELD',
  }),
  vector: Flags.string({
    description: 'a vector instead of a text: a JSON array of numbers, or a file of one',
    helpValue: 'JSON|@FILE',
  }),
  'min-score': Flags.string({ description: 'leave out what scores less', helpValue: 'S' }),
  exact: Flags.boolean({ description: 'compare every vector, also where there is a graph' }),
  ef: Flags.integer({ description: 'candidates of a graph', helpValue: 'N', min: 1 }),
};
/** The flags of fusing words and meaning. */
export const fusionFlags = {
  'rrf-k': Flags.integer({ description: 'fusion constant (60)', helpValue: 'N', min: 0 }),
  weights: Flags.string({
    description: 'what the arms weigh (1,1)',
    helpValue: 'LEXICAL,SEMANTIC',
  }),
  'lexical-fields': Flags.string({
    description: 'TEXT fields of the words (all)',
    helpValue: 'A,B',
  }),
  'fail-on-partial': Flags.boolean({ description: 'exit 6 where an arm did not answer' }),
};
/** Which search it is. */
export const modeFlag = Flags.string({
  options: ['lexical', 'semantic', 'hybrid'],
  description: 'by words (lexical), by meaning, or by both',
});

/** Those flags as oclif has read them. */
export interface MeaningFlags {
  readonly mode?: string;
  readonly k?: number;
  readonly 'vector-field'?: string;
  readonly vector?: string;
  readonly 'min-score'?: string;
  readonly exact?: boolean;
  readonly ef?: number;
  readonly 'rrf-k'?: number;
  readonly weights?: string;
  readonly 'lexical-fields'?: string;
  readonly 'fail-on-partial'?: boolean;
}

/**
 * The search that flags and a text say. Throws invalid_argument for flags that do not go with the
 * mode, and for what cannot be read.
 */
export async function searchQuestion(
  mode: SearchMode,
  index: string,
  text: string | undefined,
  flags: SearchFlags & MeaningFlags,
): Promise<SearchQuestion> {
  refuseForeign(mode, flags);
  const { query: _, ...search } = searchRequest(index, text, flags);
  if (mode === 'lexical') return { mode, request: searchRequest(index, text, flags) };
  requireText(mode, text, flags);
  const request: SemanticRequest = { ...search, ...(await nearestRequest(text, flags)) };
  if (mode === 'semantic') return { mode, request };
  return { mode, request: { ...request, ...fusionRequest(flags) } };
}

function requireText(mode: SearchMode, text: string | undefined, { vector }: MeaningFlags): void {
  if (text !== undefined || (mode === 'semantic' && vector !== undefined)) return;
  const message =
    mode === 'semantic'
      ? 'a semantic search needs a text, or a vector (--vector)'
      : 'a hybrid search needs a text, whose words are one arm';
  const hint = vector === undefined ? undefined : 'a vector alone goes with --mode semantic';
  throw new LhsError('invalid_argument', message, { hint });
}

/**
 * A text has no syntax and no operators: those flags are of the filter. Throws invalid_argument.
 */
export function refuseIdle(mode: SearchMode, flags: SearchFlags): void {
  if (mode === 'lexical' || flags.filter !== undefined) return;
  for (const name of ['syntax', 'operator'] as const) {
    if (flags[name] === undefined) continue;
    throw new LhsError('invalid_argument', `--${name} is that of --filter, and there is none`, {
      hint: `in the mode ${mode} nothing in a text is an operator`,
    });
  }
}

/** What should be near, as the flags say it. */
async function nearestRequest(text: string | undefined, flags: MeaningFlags) {
  const minScore = flags['min-score'];
  return given<SemanticRequest>({
    query_text: text,
    query_vector: flags.vector === undefined ? undefined : await vectorOf(flags.vector),
    vector_field: flags['vector-field'],
    k: flags.k,
    min_score: minScore === undefined ? undefined : numberOf('--min-score', minScore),
    exact: flags.exact || undefined,
    ef: flags.ef,
  });
}

/** How the arms are fused, as the flags say it. */
function fusionRequest(flags: MeaningFlags) {
  return given<HybridRequest>({
    rrf_k: flags['rrf-k'],
    weights: flags.weights === undefined ? undefined : weightsOf(flags.weights),
    lexical_fields: list(flags['lexical-fields']),
  });
}

/** A request without what was not said. */
function given<T extends object>(request: T): T {
  return Object.fromEntries(Object.entries(request).filter(([, v]) => v !== undefined)) as T;
}

/** Throws invalid_argument for a flag of another mode. */
function refuseForeign(mode: SearchMode, flags: MeaningFlags): void {
  const foreign =
    mode === 'hybrid'
      ? []
      : Object.keys(mode === 'semantic' ? fusionFlags : { ...nearestFlags, ...fusionFlags });
  for (const name of foreign) {
    if (flags[name as keyof MeaningFlags] === undefined) continue;
    const modes = name in fusionFlags ? '--mode hybrid' : '--mode semantic or hybrid';
    throw new LhsError('invalid_argument', `--${name} goes with ${modes}`);
  }
}

function numberOf(flag: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new LhsError('invalid_argument', `${flag} "${text}" should be a number`);
}

function weightsOf(text: string): HybridRequest['weights'] {
  const parts = text.split(',');
  if (parts.length !== 2) {
    const message = `--weights "${text}" should be two numbers: LEXICAL,SEMANTIC, as 1,2`;
    throw new LhsError('invalid_argument', message);
  }
  const [lexical, semantic] = parts.map((part) => numberOf('--weights', part));
  return { lexical, semantic };
}

async function vectorOf(text: string): Promise<number[]> {
  const json = text.startsWith('@') ? await readText(text.slice(1)) : text;
  const where = text.startsWith('@') ? `file "${text.slice(1)}"` : `--vector ${text}`;
  let values: unknown;
  try {
    values = JSON.parse(json);
  } catch (cause) {
    throw notNumbers(where, cause);
  }
  if (Array.isArray(values) && values.every((value) => typeof value === 'number')) return values;
  throw notNumbers(where);
}

function notNumbers(where: string, cause?: unknown): LhsError {
  const shown = where.length > 60 ? `${where.slice(0, 60)}…` : where;
  const message = `${shown} should be a JSON array of numbers`;
  return new LhsError('invalid_argument', message, { cause });
}
