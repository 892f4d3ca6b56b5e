/** Where the files of a new bundle are. */
import type { PagePart } from '../../segment/page-parts.ts';
import {
  blocksIn,
  type FileShape,
  type OrderedLane,
  type PageRegion,
  pageRegion,
} from './page-region.ts';

/** So many documents a block has at most, if pages of hits read it. */
const DOCS_OF_BLOCK = 4096;
const LEAST_BLOCK = 4096;

/** A file that is given a place. */
export interface FileToPlace extends FileShape {
  /** The end of the bundle has it. */
  readonly isWhole: boolean;
  /** The segment, if pages of hits read the file. */
  readonly page?: string | undefined;
  /** What pages of hits read of it. */
  readonly parts: readonly PagePart[];
  /** Nothing else reads all of it: it need not be in one piece. */
  readonly isMovable: boolean;
}

/** Bytes of a file that are in one piece. */
export interface PlacedPiece {
  readonly file: number;
  /** Where they begin in the file. */
  readonly at: number;
  /** Where they begin in the bundle. */
  readonly from: number;
  readonly length: number;
}

/** The files of a bundle, one behind the other. */
export interface PlacedFiles {
  readonly pieces: readonly PlacedPiece[];
  readonly regions: readonly PageRegion[];
  /** Where the files begin that are read whole, and where they end. */
  readonly whole: number;
  readonly end: number;
}

/** Places files: those in one piece, then regions, then those that are read whole. */
export function placeFiles(files: readonly FileToPlace[]): PlacedFiles {
  const pieces: PlacedPiece[] = [];
  const regions: PageRegion[] = [];
  const end = (): number => (pieces.length === 0 ? 0 : endOf(pieces.at(-1)!));
  const pages = Map.groupBy(files.keys(), (file) => files[file].page);
  const isMoved = (file: number): boolean => {
    const { page, isMovable, parts } = files[file];
    return page !== undefined && isMovable && parts.length > 0 && pages.get(page)!.length > 1;
  };
  const inOnePiece = (isWhole: boolean): void => {
    for (const [file, one] of files.entries()) {
      if (one.isWhole !== isWhole || isMoved(file)) continue;
      pieces.push({ file, at: 0, from: end(), length: one.length });
    }
  };
  inOnePiece(false);
  for (const members of pages.values()) {
    if (!members.some(isMoved)) continue;
    const lanes = members.flatMap((file) => lanesOf(files[file], file, !isMoved(file)));
    const region = pageRegion(end(), lanes);
    regions.push(region);
    pieces.push(...piecesOf(region, files));
  }
  const whole = end();
  inOnePiece(true);
  return { pieces, regions, whole, end: end() };
}

const endOf = ({ from, length }: PlacedPiece): number => from + length;

function* piecesOf(region: PageRegion, files: readonly FileToPlace[]): Generator<PlacedPiece> {
  for (const { lane, block, at: from, length } of blocksIn(region, files)) {
    yield { file: lane.file, at: block * files[lane.file].block, from, length };
  }
}

/** The lanes of a file: all of its blocks, or only those of its parts if they are copies. */
function lanesOf(
  { parts, block: bytes, length }: FileToPlace,
  file: number,
  isCopy: boolean,
): readonly OrderedLane[] {
  const lanes: OrderedLane[] = [];
  let next = 0;
  const add = (from: number, to: number, docAt: OrderedLane['docAt']): void => {
    if (to > from) lanes.push({ file, from, to, isCopy, docAt });
    next = Math.max(next, to);
  };
  const atBegin = (to: number): void => {
    if (!isCopy) add(next, to, () => -1);
  };
  for (const { from, to, docAt } of parts) {
    const first = Math.max(next, Math.floor(from / bytes));
    atBegin(first);
    add(first, Math.ceil(to / bytes), (block) => docAt(Math.max(from, block * bytes)));
  }
  atBegin(Math.ceil(length / bytes));
  return lanes;
}

/** Bytes of a block of a file with these parts: those of some thousand documents; `most`: at most. */
export function blockFor(parts: readonly PagePart[], most: number): number {
  const bytes = parts.map(({ from, to, docAt }) => (to - from) / (docAt(to - 1) + 1));
  const all = DOCS_OF_BLOCK * Math.min(...bytes);
  return Math.min(most, Math.max(LEAST_BLOCK, 2 ** Math.floor(Math.log2(all))));
}
