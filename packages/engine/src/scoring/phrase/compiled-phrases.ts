import { plainLoops } from '../../base/plain-loops.ts';
import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import type { Arena } from '../../storage/directory.ts';
import { fillUnpackTables } from '../unpack-tables.ts';
import { PHRASE_CODE } from './kernel-code.ts';

type Code = (...values: number[]) => number;

/** The kernels of phrases of an arena, as scripts/kernels-phrase describes them. */
export interface PhraseCode {
  readonly phrases2: Code;
  readonly phrases3: Code;
  readonly gather: Code;
  readonly arrange: Code;
  readonly survivors: Code;
  /** (at, to, width, last): 128 deltas to documents behind `last`. */
  readonly unpackDocs: Code;
  /** The same for frequencies. */
  readonly unpackFrequencies: Code;
}

const codeOf = arenaCode(PHRASE_CODE);
const compiled = onceAnArena((arena): { readonly code: PhraseCode | null } => {
  if (plainLoops()) return { code: null };
  fillUnpackTables(arena);
  return { code: codeOf(arena) as unknown as PhraseCode };
});

/** The kernels of phrases of an arena; null where LHS_WASM=0 asks for plain loops. */
export const phraseCodeOf = (arena: Arena): PhraseCode | null => compiled(arena).code;
