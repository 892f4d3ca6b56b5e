import { onceAnArena } from '../../storage/arena-code.ts';
import type { Arena } from '../../storage/directory.ts';
import { QUERY, UNPACK_BYTES, UNPACK_WIDTHS } from './kernel-memory.ts';

/**
 * Writes what the kernels of queries and of phrases need to unpack eight values of up to 25 bits,
 * once per arena. The first four begin at a byte, the second four half of `width` bytes later, at
 * bit 0 or 4. For each four a shuffle puts the bytes of value j into lane j, and a factor moves its
 * bits to bit 7.
 */
export const fillUnpackTables = onceAnArena((arena: Arena): Arena => {
  const { u8, i32 } = arena;
  for (let width = 0; width <= UNPACK_WIDTHS; width++) {
    for (let lane = 0; lane < 8; lane++) {
      const half = lane >> 2;
      const bit = (half === 1 ? (4 * width) & 7 : 0) + (lane & 3) * width;
      const table = QUERY.unpack + width * UNPACK_BYTES + 32 * half;
      for (let byte = 0; byte < 4; byte++) u8[table + 4 * (lane & 3) + byte] = (bit >> 3) + byte;
      i32[((table + 16) >> 2) + (lane & 3)] = 1 << (7 - (bit & 7));
    }
  }
  return arena;
});
