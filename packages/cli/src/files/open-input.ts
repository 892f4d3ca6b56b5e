import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { LhsError } from '@lakehouse-search/contract';
import { openRegularFile } from '@lakehouse-search/lake/internal';
import { nearFile } from './near-file.ts';

/** Names of this process's own descriptors: shells give pipes by them (`<(command)`). */
const DESCRIPTOR = /^(\/dev\/stdin|\/(dev|proc\/self)\/fd\/\d+)$/;

/**
 * The bytes of a file that the command line names: a regular file, standard input for `-`, or one
 * of this process's own descriptors (`/dev/stdin`, `/dev/fd/63`), which may be pipes. Throws
 * not_found, permission_denied, invalid_argument with the file's name.
 */
export async function openInput(file: string): Promise<Readable> {
  if (file === '-' || file === '/dev/stdin') return process.stdin;
  if (DESCRIPTOR.test(file)) return createReadStream(file);
  try {
    return (await openRegularFile(file)).handle.createReadStream();
  } catch (cause) {
    throw inputFault(file, cause);
  }
}

/**
 * The folder against which relative paths in a file are resolved: its own, or the working folder
 * for standard input and pipes.
 */
export function folderOf(file: string): string {
  return file === '-' || DESCRIPTOR.test(file) ? process.cwd() : dirname(resolve(file));
}

/** The error for a file of the command line that could not be read. */
export function inputFault(file: string, cause: unknown): LhsError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new LhsError('not_found', `no file "${file}"`, { hint: nearFile(file), cause });
  }
  if (code === 'ENOTAFILE') {
    const hint = 'to read a pipe or a device, redirect it to standard input and name it "-"';
    const redirected = !message.endsWith('folder');
    return new LhsError('invalid_argument', message, redirected ? { hint, cause } : { cause });
  }
  const kind = code === 'EACCES' ? 'permission_denied' : 'invalid_argument';
  return new LhsError(kind, `cannot read "${file}" (${code ?? message})`, { cause });
}
