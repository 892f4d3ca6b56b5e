/**
 * The past queries of the screen: `tui-history.ndjson` in the data folder, one JSON object
 * `{index, query}` per line. The screen writes it (packages/cli/src/tui/state/history.ts).
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ioError, systemCode } from '../storage/io-errors.ts';
import { syncFolder } from '../storage/make-folder.ts';

/** Its name in the data folder. */
export const HISTORY_FILE = 'tui-history.ndjson';

/** The history's lines with their position from 1; none if there is no history. */
export function historyLines(
  dataDir: string,
): readonly { readonly line: number; readonly text: string }[] {
  const path = join(dataDir, HISTORY_FILE);
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.flatMap((text, i) => (text === '' ? [] : [{ line: i + 1, text }]));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'read', path);
  }
}

/** Drafts that a killed screen left: `tui-history.ndjson.<uuid>.tmp`. */
export function historyDrafts(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir).filter(
      (name) => name.startsWith(`${HISTORY_FILE}.`) && name.endsWith('.tmp'),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'list', dataDir);
  }
}

/** Removes lines and all drafts; the file is replaced by rename. Returns how many lines went. */
export function removeHistoryLines(dataDir: string, drop: (text: string) => boolean): number {
  const path = join(dataDir, HISTORY_FILE);
  const lines = historyLines(dataDir);
  const kept = lines.filter(({ text }) => !drop(text));
  try {
    for (const name of historyDrafts(dataDir)) rmSync(join(dataDir, name), { force: true });
    if (kept.length === lines.length) return 0;
    const draft = `${path}.${randomUUID()}.tmp`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(descriptor, kept.map(({ text }) => `${text}\n`).join(''));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
    syncFolder(dataDir);
    return lines.length - kept.length;
  } catch (error) {
    throw ioError(error, 'rewrite', path);
  }
}
