import { readdirSync, readlinkSync } from 'node:fs';

/** Files below a folder that this process has open (Linux). */
export function openFilesBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}
