import type { ByteSink } from './columns.ts';

const CHUNK = 64 * 1024;

/** Texts on their way to a sink. */
export interface TextChunks {
  /** The promise, if any, resolves when more may be added. */
  add(text: string): Promise<void> | undefined;
  flush(): Promise<void>;
}

/** Collects texts so that not each of them costs a write: chunks of about 64 Ki characters. */
export function textChunks(sink: ByteSink): TextChunks {
  let pending = '';
  const flush = async () => {
    const text = pending;
    pending = '';
    if (text !== '') await sink(text);
  };
  return {
    add: (text) => {
      pending += text;
      return pending.length >= CHUNK ? flush() : undefined;
    },
    flush,
  };
}

/** Writes texts one after another, as fast as the sink takes them. */
export async function writeTexts(sink: ByteSink, texts: Iterable<string>): Promise<void> {
  const chunks = textChunks(sink);
  for (const text of texts) {
    const full = chunks.add(text);
    if (full !== undefined) await full;
  }
  await chunks.flush();
}
