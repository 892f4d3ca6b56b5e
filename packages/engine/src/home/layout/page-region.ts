/**
 * What a page of hits reads of a document lies side by side in a bundle, so that a hit costs one
 * request: a region has the blocks of a segment's keys and stored values, and copies of blocks of
 * its columns, in the order of the documents. Columns are also where all of them are read at once.
 */
import type { BlockPlaces } from '../../storage/cold-file.ts';

/** Consecutive blocks of a file in a region. */
export interface Lane {
  /** Number of the file in the bundle. */
  readonly file: number;
  readonly from: number;
  readonly to: number;
  /** The file is elsewhere, too. */
  readonly isCopy: boolean;
}

/** A region of a bundle. */
export interface PageRegion {
  /** Where it begins. */
  readonly at: number;
  readonly lanes: readonly Lane[];
  /** The lane of each block. */
  readonly order: Uint16Array;
}

/** The part of a file that bundles and regions need. */
export interface FileShape {
  readonly length: number;
  /** Bytes of a block. */
  readonly block: number;
}

/** A lane whose documents are known. */
export interface OrderedLane extends Lane {
  /** The first document of a block; lower than all others: the block is at the beginning. */
  readonly docAt: (block: number) => number;
}

/** A block in a region. */
interface PlacedBlock {
  readonly lane: Lane;
  readonly block: number;
  /** Where it is in the bundle. */
  readonly at: number;
  readonly length: number;
}

/** Lanes as one region. */
export function pageRegion(at: number, lanes: readonly OrderedLane[]): PageRegion {
  const blocks = lanes.flatMap(({ from, to, docAt }, lane) =>
    Array.from({ length: to - from }, (_, i) => ({ lane, doc: docAt(from + i) })),
  );
  blocks.sort((a, b) => a.doc - b.doc || a.lane - b.lane);
  return { at, lanes, order: Uint16Array.from(blocks, ({ lane }) => lane) };
}

/** The blocks of a region as they lie. Throws RangeError if its lanes do not fit. */
export function* blocksIn(
  { at, lanes, order }: PageRegion,
  files: readonly FileShape[],
): Generator<PlacedBlock, void> {
  const next = lanes.map(({ from }) => from);
  let end = at;
  for (const number of order) {
    const lane = lanes[number];
    const block = next[number]++;
    const { length: bytes, block: blockBytes } = files[lane?.file] ?? {};
    if (bytes === undefined || blockBytes === undefined || !(block < lane.to)) throw misfit();
    const length = Math.min(blockBytes, bytes - block * blockBytes);
    if (!(length > 0)) throw misfit();
    yield { lane, block, at: end, length };
    end += length;
  }
  if (lanes.some(({ to }, i) => next[i] !== to)) throw misfit();
}

const misfit = (): RangeError => new RangeError('its regions do not fit');

/** Where the blocks of files in regions are, by number of the file. Throws RangeError. */
export function placesIn(
  regions: readonly PageRegion[],
  files: readonly FileShape[],
): ReadonlyMap<number, Pick<BlockPlaces, 'places' | 'copies'>> {
  const found = new Map<
    number,
    { places?: number[]; copies?: { first: number; places: number[] } }
  >();
  for (const region of regions) {
    for (const { lane, block, at } of blocksIn(region, files)) {
      const { file, isCopy, from: first } = lane;
      const own = found.get(file) ?? {};
      found.set(file, own);
      if (isCopy) {
        own.copies ??= { first, places: [] };
        own.copies.places[block - own.copies.first] = at;
      } else {
        own.places ??= [];
        own.places[block] = at;
      }
    }
  }
  return found;
}
