import { LhsError } from '@lakehouse-search/contract';
import { utf8Text } from '@lakehouse-search/contract/internal';
import { inputFault, openInput } from './open-input.ts';

/** Bytes of a text that is read as a whole: definitions, keys, queries, JSON. */
const TEXT_BYTES = 64 * 1024 * 1024;
/** Characters of one line of a file that is read line by line. */
const LINE_CHARS = 16 * 1024 * 1024;

/**
 * A text file, or standard input for `-` (see `openInput`). Throws not_found, permission_denied or
 * invalid_argument with the file's name, limit_exceeded for more than 64 MiB.
 */
export async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    length += chunk.length;
    if (length > TEXT_BYTES) {
      throw new LhsError('limit_exceeded', `"${file}" is larger than ${TEXT_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return utf8Text(Buffer.concat(chunks), `"${file}"`);
}

/**
 * The lines of a text file, without their ends. Errors as `readText`; limit_exceeded for a line of
 * more than 16 Mi characters.
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  const decode = decoderOf(file);
  let rest = '';
  for await (const chunk of chunksOf(file)) {
    const lines = (rest + decode(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    if (rest.length > LINE_CHARS) {
      throw new LhsError('limit_exceeded', `a line of "${file}" is longer than ${LINE_CHARS}`);
    }
  }
  rest += decode();
  if (rest !== '') yield rest;
}

/** Decodes pieces of UTF-8; without a piece: the end. Throws invalid_argument with the file's name. */
function decoderOf(file: string): (chunk?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw new LhsError('invalid_argument', `"${file}" is not UTF-8`, { cause });
    }
  };
}

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  const input = await openInput(file);
  try {
    for await (const chunk of input) yield chunk as Buffer;
  } catch (cause) {
    throw inputFault(file, cause);
  }
}
