import { jsonText } from '../terminal/json-text.ts';
import type { ByteSink, OutputColumn, RowWriter } from './columns.ts';

const CHUNK = 64 * 1024;

/** Collects lines so that a row does not cost a write. */
function lineBuffer(sink: ByteSink) {
  let pending = '';
  const flush = async () => {
    const text = pending;
    pending = '';
    if (text !== '') await sink(text);
  };
  return {
    add: (line: string) => {
      pending += `${line}\n`;
      return pending.length >= CHUNK ? flush() : undefined;
    },
    flush,
  };
}

/** One JSON object a line. */
export function ndjsonWriter(sink: ByteSink): RowWriter {
  const lines = lineBuffer(sink);
  return { write: (row) => lines.add(jsonText(row)), end: lines.flush };
}

/**
 * CSV (RFC 4180): a header line; null is empty, an empty text is `""`; what is no scalar is JSON.
 */
export function csvWriter(sink: ByteSink, columns: readonly OutputColumn[]): RowWriter {
  const lines = lineBuffer(sink);
  let begun = false;
  const begin = () => {
    if (begun) return undefined;
    begun = true;
    return lines.add(columns.map((c) => cell(c.name)).join(','));
  };
  return {
    write: async (row) => {
      await begin();
      await lines.add(columns.map((c) => cell(row[c.name])).join(','));
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
