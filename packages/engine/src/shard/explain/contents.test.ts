import { afterEach, describe, expect, it, vi } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { InvertedReader } from '../../inverted/inverted-reader.ts';
import { InvertedWriter } from '../../inverted/write/inverted-writer.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { documentContents } from './contents.ts';

const TEXTS = ['the quick brown fox', 'a lazy dog', 'the quick dog'];

const plan = (id: number): FieldPlan => ({
  id,
  name: `text${id}`,
  type: 'TEXT',
  inverted: { kind: 'text', analyzer: simpleAnalyzer },
  column: null,
  stored: false,
});

function openText(): InvertedReader {
  const values = TEXTS.map((text) => Buffer.from(text));
  const offsets = Int32Array.from([0, ...values.map((_, i) => textBytes(i + 1))]);
  const starts = Int32Array.from({ length: TEXTS.length + 1 }, (_, i) => i);
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  writer.add(0, TEXTS.length, { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) });
  const bytes = Buffer.concat(writer.finish(TEXTS.length));
  const region = plainArena().allocate(bytes.length);
  region.bytes.set(bytes);
  return InvertedReader.open(region, TEXTS.length, 'text');
}

const textBytes = (texts: number) => TEXTS.slice(0, texts).join('').length;

/** A segment of text fields; `read` counts how often their postings were asked for. */
function segment() {
  const inverted = openText();
  const read = vi.fn(() => inverted);
  return { reader: { docs: TEXTS.length, inverted: read } as unknown as SegmentReader, read };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the contents of a document', () => {
  it('is the tokens in order, from the postings', () => {
    const { reader } = segment();
    expect(documentContents(reader, 0).ofField(plan(1))).toEqual(['the', 'quick', 'brown', 'fox']);
    expect(documentContents(reader, 2).ofField(plan(1))).toEqual(['the', 'quick', 'dog']);
  });

  it('is read once per field', () => {
    const { reader, read } = segment();
    const contents = documentContents(reader, 1);
    for (let i = 0; i < 3; i++) expect(contents.ofField(plan(1))).toEqual(['a', 'lazy', 'dog']);
    expect(read).toHaveBeenCalledTimes(1);
    contents.ofField(plan(2));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is unknown for every further field once the time of the request is used up', () => {
    const { reader, read } = segment();
    const contents = documentContents(reader, 1);
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    expect(contents.ofField(plan(1))).toEqual(['a', 'lazy', 'dog']);
    clock = 2001;
    expect(contents.ofField(plan(2))).toBeNull();
    expect(contents.ofField(plan(2))).toBeNull();
    expect(contents.ofField(plan(1))).toEqual(['a', 'lazy', 'dog']);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
