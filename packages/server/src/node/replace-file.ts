import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '@lakehouse-search/engine/internal';

/** Replaces a small file by one rename, after its bytes are on disk. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}
