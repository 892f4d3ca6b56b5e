import { inputBytes } from '../input-bytes.ts';
import type { InputFile } from '../input-files.ts';

/** The lines of texts in UTF-8, without their ends. */
export async function* textLines(files: readonly InputFile[]): AsyncGenerator<string> {
  for (const file of files) {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of inputBytes(file)) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
  }
}
