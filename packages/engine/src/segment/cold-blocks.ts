import type { Region } from '../storage/directory.ts';

/** The blocks of the cold files of a segment: JSON in its file `blocks`. */
export interface BlockLists {
  /** Bytes of a block. */
  readonly block: number;
  /** By component (`text/3`). */
  readonly files: Readonly<Record<string, FileBlocks>>;
}

/** The blocks of one file. */
export interface FileBlocks {
  /** The end of the object's key. */
  readonly file: string;
  /** Where the file begins in a bundle; absent: the object is the file. */
  readonly offset?: number;
  /** CRC-32 of each block. */
  readonly crcs: readonly number[];
}

/** The payload of a file `blocks`. */
export const encodeBlocks = (lists: BlockLists): Uint8Array => Buffer.from(JSON.stringify(lists));

/** Reads a payload that was checked. */
export const readBlocks = ({ bytes }: Pick<Region, 'bytes'>): BlockLists =>
  JSON.parse(Buffer.from(bytes).toString()) as BlockLists;
