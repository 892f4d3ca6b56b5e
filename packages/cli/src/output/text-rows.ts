import { escapedControls, jsonText, plainJson } from '../terminal/json-text.ts';
import type { ByteSink, OutputColumn, RowWriter } from './columns.ts';
import { textChunks } from './text-chunks.ts';

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
  const text = typeof value === 'object' ? jsonText(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
