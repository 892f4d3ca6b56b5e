import type { BlockPlaces } from '../storage/cold-file.ts';
import type { Region } from '../storage/directory.ts';

/** The blocks of the cold files of a segment: JSON in its file `blocks`. */
export interface BlockLists {
  /** Bytes of a block, unless a file says otherwise. */
  readonly block: number;
  /** By component (`text/3`). */
  readonly files: Readonly<Record<string, FileBlocks>>;
}

/** The blocks of one file; without an offset, the object is the file. */
export interface FileBlocks extends BlockPlaces {
  /** The end of the object's key. */
  readonly file: string;
  /** Bytes of a block of this file. */
  readonly block?: number;
  /** CRC-32 of each block. */
  readonly crcs: readonly number[];
}

/** The payload of a file `blocks`. */
export const encodeBlocks = (lists: BlockLists): Uint8Array => Buffer.from(JSON.stringify(lists));

/** Reads a payload that was checked. */
export const readBlocks = ({ bytes }: Pick<Region, 'bytes'>): BlockLists =>
  JSON.parse(Buffer.from(bytes).toString()) as BlockLists;
