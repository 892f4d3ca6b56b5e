import type { ReindexResponse } from '@lakehouse-search/contract';
import { count, plural } from '../terminal/figures.ts';

/** Lines about the VECTOR fields of a sync; none if the index has none. */
export function vectorLines({
  embeddings,
  without_vector,
}: Pick<ReindexResponse, 'embeddings' | 'without_vector'>): readonly string[] {
  const lines = embeddings === undefined ? [] : [embeddingLine(embeddings)];
  for (const [field, rows] of Object.entries(without_vector ?? {})) {
    lines.push(`${plural(rows, 'row')} without a vector in ${field}`);
  }
  return lines;
}

/** `embeddings  423,391 computed, 20,299 reused`. */
export function embeddingLine({ computed, reused }: { computed: number; reused: number }): string {
  return `embeddings  ${count(computed)} computed, ${count(reused)} reused`;
}
