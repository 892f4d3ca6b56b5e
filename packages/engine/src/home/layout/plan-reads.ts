/** Which ranges of an object are read for some of its bytes. */
import { lowerBoundBy } from '../../base/arrays/lower-bound.ts';
import type { BlockPlaces } from '../../storage/cold-file.ts';

/** One request reads at most so many bytes, unless a single piece has more. */
const MOST_BYTES = 4 * 2 ** 20;
/** So many bytes that nobody needs cost less than another request. */
export const BYTES_BETWEEN = 2 ** 19;

/** Some bytes of an object. */
export interface Piece {
  /** Where they begin in the object. */
  readonly at: number;
  readonly length: number;
}

/** Bytes that one request reads. */
export interface ReadSpan<T extends Piece> extends Piece {
  /** Ascending. */
  readonly pieces: readonly T[];
}

/** The bytes of a piece among those of its span. */
export const bytesOf = ({ at, length }: Piece, span: Piece, bytes: Uint8Array): Uint8Array =>
  bytes.subarray(at - span.at, at - span.at + length);

/** Pieces of an object in few requests: neighbors, and those between which few bytes are. */
export function spansOf<T extends Piece>(pieces: readonly T[]): readonly ReadSpan<T>[] {
  const spans: { at: number; length: number; pieces: T[] }[] = [];
  for (const piece of [...pieces].sort((a, b) => a.at - b.at)) {
    const end = piece.at + piece.length;
    const span = spans.at(-1);
    const isNear = span !== undefined && piece.at <= span.at + span.length + BYTES_BETWEEN;
    if (isNear && end - span.at <= MOST_BYTES) {
      span.length = Math.max(span.length, end - span.at);
      span.pieces.push(piece);
    } else spans.push({ at: piece.at, length: piece.length, pieces: [piece] });
  }
  return spans;
}

/** Those of which there is a copy are read there if it is near to one of which there is none. */
export function chosen<T extends Piece & { readonly copy?: number | undefined }>(
  pieces: readonly T[],
): readonly T[] {
  const spans = spansOf(pieces.filter(({ copy }) => copy === undefined));
  const isNear = (at: number, length: number): boolean => {
    const next = lowerBoundBy(0, spans.length, (i) => spans[i].at >= at);
    const [before, after] = [spans[next - 1], spans[next]];
    return (
      (before !== undefined && at <= before.at + before.length + BYTES_BETWEEN) ||
      (after !== undefined && after.at <= at + length + BYTES_BETWEEN)
    );
  };
  return pieces.map((piece) => {
    const { copy, length } = piece;
    return copy !== undefined && isNear(copy, length) ? { ...piece, at: copy } : piece;
  });
}

/** Where a file is stored in an object. */
interface PlacedFile extends BlockPlaces {
  readonly length: number;
}

/** Where a block of a file is in its object. */
export const placeOf = (
  { offset = 0, places }: BlockPlaces,
  block: number,
  bytes: number,
): number => places?.[block] ?? offset + block * bytes;

/** The copy of a block; undefined: there is none. */
export const copyOf = ({ copies }: BlockPlaces, block: number): number | undefined =>
  copies?.places[block - copies.first];

/** Bytes of a file from an offset on; `read` reads its object. */
export async function readPlaced(
  file: PlacedFile,
  blockBytes: number,
  { at, length }: Piece,
  read: (span: Piece) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { places, offset = 0 } = file;
  if (places === undefined) return read({ at: offset + at, length });
  const target = Buffer.allocUnsafeSlow(length);
  const pieces: (Piece & { readonly to: number })[] = [];
  for (let from = at; from < at + length; ) {
    const block = Math.floor(from / blockBytes);
    const end = Math.min(at + length, (block + 1) * blockBytes);
    const inside = from - block * blockBytes;
    pieces.push({ at: places[block] + inside, length: end - from, to: from - at });
    from = end;
  }
  for (const span of spansOf(pieces)) {
    const bytes = await read(span);
    for (const piece of span.pieces) target.set(bytesOf(piece, span, bytes), piece.to);
  }
  return target;
}
