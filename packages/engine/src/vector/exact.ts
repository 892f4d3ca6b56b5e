/**
 * What a search answers: raw similarities over the stored vectors, in f64. Two vectors of the same
 * codes and scale have the same similarity to the last bit.
 */
import type { CodedQuery } from './coded-query.ts';
import { MIDDLE } from './format.ts';
import type { VectorReader } from './vector-reader.ts';

/**
 * The raw similarity of a query and the vector in a slot: their cosine (0 for a query of length 0),
 * their dot product, or the square of their distance, negated.
 */
export function similarityAt(reader: VectorReader, query: CodedQuery, slot: number): number {
  if (reader.metric === 'l2') return -squaredDistance(reader, query.values, slot);
  const dot = dotProduct(reader, query.values, slot);
  if (reader.metric === 'dot') return reader.scales[slot] * dot;
  return query.norm === 0 ? 0 : dot / (query.norm * reader.norms[slot]);
}

/**
 * Sum of query x codes. Four sums side by side, for components 0, 4, 8 …, 1, 5, 9 …, and so on, are
 * added at the end: a part of what the order of a sum is.
 */
function dotProduct(reader: VectorReader, query: Float32Array, slot: number): number {
  const { dims, high, low } = reader;
  const at = slot * reader.row;
  const whole = dims & -4;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < whole; i += 4) {
    a += query[i] * (((high[at + i] << 8) | MIDDLE) + low[at + i]);
    b += query[i + 1] * (((high[at + i + 1] << 8) | MIDDLE) + low[at + i + 1]);
    c += query[i + 2] * (((high[at + i + 2] << 8) | MIDDLE) + low[at + i + 2]);
    d += query[i + 3] * (((high[at + i + 3] << 8) | MIDDLE) + low[at + i + 3]);
  }
  for (let i = whole; i < dims; i++) a += query[i] * (256 * high[at + i] + low[at + i] + MIDDLE);
  return a + b + (c + d);
}

function squaredDistance(reader: VectorReader, query: Float32Array, slot: number): number {
  const { dims, high, low } = reader;
  const scale = reader.scales[slot];
  const at = slot * reader.row;
  let sum = 0;
  for (let i = 0; i < dims; i++) {
    const apart = query[i] - scale * (256 * high[at + i] + low[at + i] + MIDDLE);
    sum += apart * apart;
  }
  return sum;
}
