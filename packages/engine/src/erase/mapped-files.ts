import { readdirSync, readFileSync } from 'node:fs';

/**
 * Files below a folder that were deleted and that a process of this machine still has mapped: their
 * bytes stay on the disk until it moves on. By process id. Only Linux shows this; elsewhere, and
 * for processes of other users, nothing is found.
 */
export function deletedButMapped(folder: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const name of namesIn('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const files = new Set<string>();
    for (const line of mapsOf(name).split('\n')) {
      if (!line.endsWith(' (deleted)')) continue;
      const at = line.indexOf(`${folder}/`);
      if (at >= 0) files.add(line.slice(at));
    }
    if (files.size > 0) found.set(Number(name), files.size);
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The mappings of a process; none if it has ended or belongs to somebody else. */
function mapsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8');
  } catch {
    return '';
  }
}
