import type { ErasedField } from '@lakehouse-search/contract';
import type { CommittedField } from '../index/commits/commit.ts';
import { termsInSteps } from '../inverted/document-terms.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { TermBlocks } from '../postings/term-blocks.ts';
import type { TermInfo } from '../postings/term-info.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';

/**
 * What a segment has of a document, field by field, in short steps; fields without anything are
 * left out.
 */
export function* describingDocument(
  reader: SegmentReader,
  doc: number,
  fields: readonly CommittedField[],
): Generator<void, readonly ErasedField[], undefined> {
  const stored = reader.stored(doc);
  const described: ErasedField[] = [];
  for (const { id, name } of fields) {
    const parts: ErasedField['parts'][number][] = [];
    const inverted = reader.inverted(id);
    const terms = inverted === null ? null : yield* countingTerms(inverted, reader, doc);
    if (terms !== null && terms.all > 0) parts.push('terms');
    if (reader.numeric(id)?.has(doc) || reader.ordinals(id)?.has(doc)) parts.push('column');
    if (stored.has(id)) parts.push('stored');
    const vectors = reader.vectors(id);
    if (vectors?.has(doc))
      parts.push('vector', ...(vectors.graph === null ? [] : ['graph' as const]));
    const own = terms !== null && terms.own > 0 ? { own_terms: terms.own } : {};
    if (parts.length > 0) described.push({ field: name, parts, ...own });
  }
  return described;
}

/** Terms of a document, and those of them that no live document has. */
function* countingTerms(inverted: InvertedReader, reader: SegmentReader, doc: number) {
  let all = 0;
  let own = 0;
  const blocks = new TermBlocks(inverted);
  const request = { doc, prefix: new Uint8Array(0) };
  yield* termsInSteps(inverted, request, (_, info) => {
    all++;
    if (!hasLive(blocks, info, reader)) own++;
  });
  return { all, own };
}

function hasLive(blocks: TermBlocks, info: TermInfo, reader: SegmentReader): boolean {
  blocks.open(info);
  while (blocks.next()) {
    for (let i = blocks.from; i < blocks.to; i++)
      if (!reader.isDeleted(blocks.docs[i])) return true;
  }
  return false;
}
