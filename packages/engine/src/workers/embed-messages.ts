/** What a threaded model and its threads send each other. */
import type { FixedVectors } from '../base/fixed-vector.ts';
import type { Texts } from '../embed/embedder.ts';
import type { PlainError } from '../shard/bytes.ts';

/** To an embedding thread. It handles one message after the other. */
export interface ToEmbedThread {
  readonly id: number;
  readonly texts: Texts;
}

/** From an embedding thread. */
export type FromEmbedThread =
  | { readonly kind: 'vectors'; readonly id: number; readonly vectors: FixedVectors }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError };
