import { precomputedScore } from '../bind/precomputed.ts';
import { figure } from '../explain/detail.ts';
import { precomputedLeaf } from '../weight/precomputed-leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';

/** Documents that were found before the query runs. */
export const precomputedModule: LeafModule<ClauseOf<'precomputed'>> = {
  key: () => null,
  leaf: ({ precomputed, boost }, { reader }) =>
    precomputedLeaf(precomputed.segments.get(reader.id), boost),
  marked: ({ precomputed }) => precomputed.words,
  explain({ precomputed, boost }, { reader, doc, nearWords }, name) {
    const own = precomputedScore(precomputed, reader.id, doc);
    if (own === null) return null;
    const boosted = boost === 1 ? '' : `${figure(boost)} × `;
    const near = precomputed.near === undefined ? '' : `, ${nearWords(precomputed.near)}`;
    const description = `${name}: ${boosted}${figure(own)}, one of the ${precomputed.label}${near}`;
    return { description, score: boost * own, details: [], clause: name };
  },
};
