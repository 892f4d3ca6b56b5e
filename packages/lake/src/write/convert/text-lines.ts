import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';

/** The lines of texts in UTF-8, without their ends. */
export async function* textLines(files: readonly InputFile[]): AsyncGenerator<string> {
  for (const file of files) {
    for await (const line of linesOf(file)) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}

/** What is between the line feeds of a text in UTF-8. */
export async function* linesOf(file: InputFile): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of inputBytes(file)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
