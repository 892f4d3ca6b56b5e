import { escapedControls, jsonText, plainJson } from '../terminal/json-text.ts';
import type { ByteSink, OutputColumn, RowWriter } from './columns.ts';

/** One JSON object a line. */
export function ndjsonWriter(sink: ByteSink): RowWriter {
  const lines = textChunks((chunk) => sink(escapedControls(String(chunk))));
  return { write: (row) => lines.add(`${plainJson(row)}\n`), end: lines.flush };
}

/**
 * CSV (RFC 4180): a header line; null is empty, an empty text is `""`; what is no scalar is JSON.
 */
export function csvWriter(sink: ByteSink, columns: readonly OutputColumn[]): RowWriter {
  const lines = textChunks(sink);
  let begun = false;
  const begin = () => {
    if (begun) return undefined;
    begun = true;
    return lines.add(`${columns.map((c) => cell(c.name)).join(',')}\n`);
  };
  return {
    write: async (row) => {
      await begin();
      await lines.add(`${columns.map((c) => cell(row[c.name])).join(',')}\n`);
    },
    end: async () => {
      await begin();
      await lines.flush();
    },
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : jsonText(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

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
