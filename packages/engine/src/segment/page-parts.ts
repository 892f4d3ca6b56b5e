/**
 * What a page of hits reads of each document, by file of a segment: its key, its stored values, and
 * its codes in columns. A bundle has these bytes side by side (home/layout/page-region.ts).
 */
import { lowerBoundBy } from '../base/arrays/lower-bound.ts';
import { STRINGS_OF_BLOCK } from '../columnar/byte-list.ts';
import { FRAME_HEADER_BYTES } from '../storage/frame.ts';
import type { ComponentKind } from './entry.ts';
import { readHeads } from './keys/key-columns.ts';

/** A part of a file, in the order of documents. */
export interface PagePart {
  readonly from: number;
  readonly to: number;
  /** The document whose bytes are at an offset of the file, or one shortly before. */
  readonly docAt: (offset: number) => number;
}

/** Reads bytes of a file. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

const TABLE_BYTES = 512;

/** The parts of a file of a segment, ascending; none for kinds that a page does not read. */
export async function pageParts(
  kind: ComponentKind,
  read: ReadBytes,
): Promise<readonly PagePart[]> {
  const partsOf = PARTS[kind];
  if (partsOf === undefined) return [];
  const table = viewOf(await read(FRAME_HEADER_BYTES, TABLE_BYTES));
  const spanOf = (section: number): Span => {
    const from = FRAME_HEADER_BYTES + table.getUint32(4 + 8 * section, true);
    return { from, to: from + table.getUint32(8 + 8 * section, true) };
  };
  const load = async (section: number) => {
    const { from, to } = spanOf(section);
    return viewOf(await read(from, to - from));
  };
  return await partsOf(spanOf, load);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

type PartsOf = (
  spanOf: (section: number) => Span,
  load: (section: number) => Promise<DataView>,
) => Promise<readonly PagePart[]>;

/** Layouts: docs/format.md, "Components of a segment". */
const PARTS: { readonly [Kind in ComponentKind]?: PartsOf } = {
  async keys(spanOf, load) {
    const width = (await load(0)).getInt32(8, true);
    const texts = (readHeads(await load(1), width) ?? []).filter(
      ({ encoding }) => encoding === 'text',
    );
    const rows = width === 0 ? [] : [evenly(spanOf(2), width)];
    const lists = texts.map(async ({ section }) =>
      byStarts(spanOf(section + 1), await load(section), (block) => STRINGS_OF_BLOCK * block),
    );
    return [...rows, ...(await Promise.all(lists))];
  },
  async stored(spanOf, load) {
    const [firstDocs, starts] = [await load(2), await load(3)];
    return [byStarts(spanOf(4), starts, (block) => firstDocs.getInt32(4 * block, true))];
  },
  numeric: async (spanOf, load) => codes(spanOf(3), await load(0), 8, 10),
  ordinal: async (spanOf, load) => codes(spanOf(2), await load(0), 12, 13),
};

/** A part with as many bytes for each document. */
const evenly = ({ from, to }: Span, width: number): PagePart => ({
  ...{ from, to },
  docAt: (offset) => Math.floor((offset - from) / width),
});

/** A part in blocks, which begin where u32 `starts` say; `firstDoc`: of a block. */
function byStarts(
  { from, to }: Span,
  starts: DataView,
  firstDoc: (block: number) => number,
): PagePart {
  const blocks = starts.byteLength / 4 - 1;
  const docAt = (offset: number) => {
    const isBehind = (block: number) => starts.getUint32(4 * block, true) > offset - from;
    return firstDoc(Math.max(0, lowerBoundBy(0, blocks, isBehind) - 1));
  };
  return { from, to, docAt };
}

/** The codes of a column, of which each document has one; `width`, `multi`: bytes of its head. */
const codes = (span: Span, head: DataView, width: number, multi: number): readonly PagePart[] =>
  head.getUint8(multi) === 0 ? [evenly(span, head.getUint8(width))] : [];

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, length);
