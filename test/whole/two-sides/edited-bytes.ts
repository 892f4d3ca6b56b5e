import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A byte that no text in UTF-8 has. */
export const ODD_BYTE = 0xff;

/** Bytes of a text whose first `?` is a byte that is not UTF-8. */
export function oddBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('?')] = ODD_BYTE;
  return bytes;
}

/** Runs `work` while the newest manifest of `t` is edited, with a right checksum. */
export async function withManifest<T>(
  backups: string,
  edit: (manifest: string) => string | Buffer,
  work: () => Promise<T>,
): Promise<T> {
  const pins = readdirSync(join(backups, 'pins'), { recursive: true }) as string[];
  const path = join(backups, 'pins', pins.find((name) => name.endsWith('.t.json'))!);
  const original = readFileSync(path);
  const body = Buffer.from(edit(original.toString().split('\n')[1]));
  const sha256 = createHash('sha256').update(body).digest('hex');
  const head = `${JSON.stringify({ format: 'lhs-backup', version: 2, sha256 })}\n`;
  writeFileSync(path, Buffer.concat([Buffer.from(head), body, Buffer.from('\n')]));
  try {
    return await work();
  } finally {
    writeFileSync(path, original);
  }
}
