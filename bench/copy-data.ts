import { cpSync, linkSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Copies a data folder; large files as links: they are never changed. */
export function copyData(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [own, other] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyData(own, other);
    else if (statSync(own).size < 2 ** 20) cpSync(own, other);
    else linkSync(own, other);
  }
}
