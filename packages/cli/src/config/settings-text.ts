import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LhsError } from '@lakehouse-search/contract';
import { utf8Text, yamlFault } from '@lakehouse-search/contract/internal';

/** The value of a YAML file. Throws invalid_argument with the place of a fault. */
export function yamlOf(path: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const text = settingsText(path);
  try {
    return parse(text, { maxAliasCount: 0, prettyErrors: true });
  } catch (cause) {
    const error = cause as { code?: string; message: string; linePos?: [{ line: number }] };
    const place = error.linePos === undefined ? path : `${path}:${error.linePos[0].line}`;
    throw new LhsError('invalid_argument', `${place} is not YAML: ${yamlFault(error)}`, { cause });
  }
}

/** Bytes of a settings file, at most. */
const SETTINGS_BYTES = 64 * 1024;

/**
 * The text of a settings file. Pipes and devices are refused: anyone may have written `./lhs.yaml`.
 */
export function settingsText(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(SETTINGS_BYTES + 1);
    const isFile = fstatSync(descriptor).isFile();
    const length = isFile ? readSync(descriptor, bytes) : bytes.length;
    if (length <= SETTINGS_BYTES) return utf8Text(bytes.subarray(0, length), `"${path}"`);
    const message = `"${path}" is not a regular file of at most ${SETTINGS_BYTES} bytes`;
    throw new LhsError('invalid_argument', message);
  } finally {
    closeSync(descriptor);
  }
}
