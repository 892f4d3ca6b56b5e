import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableMemory } from 'node:process';
import { fileURLToPath } from 'node:url';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Compiled code of the threads and child processes of tests. Most of them run our sources as they
 * are: without it, each of them strips the types of some hundred files.
 */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/lhs-tests', import.meta.url));

let folder: string | undefined;

/**
 * Puts the temporary folders of all tests into memory, if the machine has room for them: tests
 * flush tens of thousands of files, and on a disk each flush is a wait. What a killed process has
 * written survives there as on a disk. `LHS_TEST_DISK=1` leaves the tests on the disk.
 */
export function setup(): void {
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
  if (process.env.LHS_TEST_DISK === '1' || !hasRoom()) return;
  folder = mkdtempSync(`${MEMORY}/lhs-tests-`);
  // As /tmp: tests become other users and enter their own folders.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

/** Removes what the tests left there. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, availableMemory()) >= ROOM_BYTES;
  } catch {
    return false;
  }
}
