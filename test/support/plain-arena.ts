import { LhsError } from '@lakehouse-search/contract';
import { KERNEL_BYTES } from '../../packages/engine/src/storage/arena.ts';
import type { Arena, Region } from '../../packages/engine/src/storage/directory.ts';

const PAGE = 65_536;
const ALIGN = 64;

/**
 * An arena of fixed size that maps nothing: regions are allocated one behind the other, and the
 * space comes back when all of them have been released. For tests.
 */
export function plainArena(bytes = 64 * 2 ** 20): Arena {
  const memory = new WebAssembly.Memory({ initial: Math.ceil((KERNEL_BYTES + bytes) / PAGE) });
  const u8 = new Uint8Array(memory.buffer);
  let next = KERNEL_BYTES;
  let regions = 0;
  const arena: Arena = {
    memory,
    u8,
    i32: new Int32Array(memory.buffer),
    f64: new Float64Array(memory.buffer),
    view: new DataView(memory.buffer),
    allocate(length) {
      const offset = next;
      if (offset + length > u8.length) {
        throw new LhsError(
          'limit_exceeded',
          `an arena of ${u8.length} bytes has no ${length} left`,
        );
      }
      next = (offset + length + ALIGN - 1) & -ALIGN;
      regions++;
      u8.fill(0, offset, offset + length);
      return regionOf(arena, offset, length, () => {
        if (--regions === 0) next = KERNEL_BYTES;
      });
    },
  };
  return arena;
}

function regionOf(arena: Arena, offset: number, length: number, free: () => void): Region {
  let held = true;
  return {
    arena,
    offset,
    length,
    bytes: arena.u8.subarray(offset, offset + length),
    release() {
      if (held) free();
      held = false;
    },
  };
}
