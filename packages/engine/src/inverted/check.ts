import { NO_MORE_DOCS } from './cursors.ts';
import { corrupt } from './damage.ts';
import type { InvertedReader } from './inverted-reader.ts';

/**
 * Walks every term: terms rise, documents rise and lie in the segment, as many as the dictionary
 * says; in text fields frequencies add up to the documents' lengths and positions rise. Throws
 * corrupt_index.
 */
export function checkInverted(reader: InvertedReader): void {
  const lengths = new Int32Array(reader.docs);
  const scratch = { positions: new Int32Array(1024) };
  const cursor = reader.terms();
  let previous: Uint8Array | null = null;
  let terms = 0;
  while (cursor.next()) {
    if (previous !== null && cursor.compare(previous) <= 0) throw corrupt('its terms do not rise');
    previous = cursor.bytes().slice();
    checkTerm(reader, cursor.info(), lengths, scratch);
    terms++;
  }
  if (terms !== reader.termCount)
    throw corrupt(`it has ${terms} terms, expected ${reader.termCount}`);
  if (reader.text) checkLengths(reader, lengths);
}

function checkTerm(
  reader: InvertedReader,
  info: Parameters<InvertedReader['postings']>[0],
  lengths: Int32Array,
  scratch: { positions: Int32Array },
): void {
  const postings = reader.postings(info);
  let count = 0;
  let last = -1;
  for (let doc = postings.next(); doc !== NO_MORE_DOCS; doc = postings.next()) {
    if (doc <= last || doc >= reader.docs) throw corrupt(`a posting names document ${doc}`);
    last = doc;
    if (++count > info.df) break;
    if (!reader.text) continue;
    const tf = postings.tf();
    if (tf < 1 || tf > reader.lengthOf(doc))
      throw corrupt(`a frequency is ${tf} in document ${doc}`);
    lengths[doc] += tf;
    if (scratch.positions.length < tf) scratch.positions = new Int32Array(tf * 2);
    postings.positions(scratch.positions);
    for (let i = 1; i < tf; i++) {
      if (scratch.positions[i] < scratch.positions[i - 1])
        throw corrupt(`positions of document ${doc} do not rise`);
    }
  }
  if (count !== info.df) throw corrupt(`a term has ${count} postings, expected ${info.df}`);
}

function checkLengths(reader: InvertedReader, lengths: Int32Array): void {
  let tokens = 0;
  let withField = 0;
  for (let doc = 0; doc < reader.docs; doc++) {
    if (lengths[doc] !== reader.lengthOf(doc)) throw corrupt(`document ${doc} has another length`);
    tokens += lengths[doc];
    if (lengths[doc] > 0) withField++;
  }
  if (tokens !== reader.tokens || withField !== reader.docsWithField)
    throw corrupt('its totals do not agree');
}
