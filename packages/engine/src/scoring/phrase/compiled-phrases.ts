import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import { QUERY_TERMS } from '../kernel/kernel-memory.ts';
import { fillUnpackTables } from '../kernel/unpack-tables.ts';
import { PHRASE_CODE } from './kernel-code.ts';

type Code = (...values: number[]) => number;

/** The kernels of phrases: packages/engine/kernels/phrase. */
export interface PhraseCode {
  readonly gather: Code;
  readonly arrange: Code;
  readonly survivors: Code;
  /** (at, to, width, last): 128 deltas to documents behind `last`. */
  readonly unpackDocs: Code;
  /** The same for frequencies. */
  readonly unpackFrequencies: Code;
  /** By their number: phrases of dense terms. */
  readonly dense: readonly Code[];
}

const codeOf = arenaCode(PHRASE_CODE);

/** The kernels of phrases of an arena. */
export const phraseCodeOf = onceAnArena((arena): PhraseCode => {
  fillUnpackTables(arena);
  const code = codeOf(arena) as Record<string, Code>;
  const { gather, arrange, survivors, unpackDocs, unpackFrequencies } = code;
  const dense = Array.from({ length: QUERY_TERMS + 1 }, (_, n) => {
    return code[`phrases${n}`] ?? ((...values: number[]) => code.phrasesAny(n, ...values));
  });
  return { gather, arrange, survivors, unpackDocs, unpackFrequencies, dense };
});
