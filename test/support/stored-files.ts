import { crc32 } from 'node:zlib';
import type { FindStored } from '../../packages/engine/src/segment/cool.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';
import { openObjectStore } from '../../packages/lake/src/objects/open-object-store.ts';

/** Puts files into a place, an object each, and says where they are, in blocks of any size. */
export const storing =
  (directory: Pick<Directory, 'read'>, place: string, block: number): FindStored =>
  async (names) => {
    const store = await openObjectStore(place);
    const files = new Map<string, { readonly file: string; readonly crcs: readonly number[] }>();
    for (const name of names) {
      const bytes = directory.read(name);
      await store.put(name, bytes);
      const crcs = Array.from({ length: Math.ceil(bytes.length / block) }, (_, i) =>
        crc32(bytes.subarray(i * block, (i + 1) * block)),
      );
      files.set(name, { file: name, crcs });
    }
    return { place, block, files };
  };
