import { readFile } from 'node:fs/promises';
import { LhsError } from '@lakehouse-search/engine';

/**
 * A text file, or standard input for `-`. Throws not_found or invalid_argument with the file's
 * name.
 */
export async function readText(file: string): Promise<string> {
  if (file === '-') return readStdin();
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new LhsError('not_found', `no file "${file}"`, { cause });
    throw new LhsError('invalid_argument', `cannot read "${file}" (${code})`, { cause });
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
