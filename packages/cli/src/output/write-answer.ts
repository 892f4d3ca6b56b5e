import { asTyped, placeFlags } from '../terminal/errors/command-name.ts';
import { bytes as byteText, plural } from '../terminal/figures.ts';
import { jsonPieces } from '../terminal/json-text.ts';
import { safeLine } from '../terminal/printable.ts';
import type { ByteSink, OutputColumn, OutputRow } from './columns.ts';
import { withSink } from './output-sink.ts';
import type { OutputTarget } from './output-target.ts';
import type { RowFormat } from './row-formats.ts';
import { rowWriter } from './row-writer.ts';
import { writeTexts } from './text-rows.ts';

/** An answer as rows of one table. */
export interface RowTable {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly OutputRow[];
  /** The lines of NDJSON, where they are more than the rows. */
  readonly records?: readonly OutputRow[];
}

/** A response in its three shapes. Only the shape in use is built. */
export interface AnswerShapes {
  /** For people. */
  lines(): Promise<readonly string[]> | readonly string[];
  /** As it goes over the wire. */
  wire(): unknown;
  table(): Promise<RowTable> | RowTable;
}

/** Who reads an answer: a person at a terminal (`indent` for JSON), with colour (`styled`). */
export interface AnswerReader {
  readonly indent: boolean;
  readonly styled: boolean;
}

/** What was written to a file. `rows` is absent where the file is not a table of rows. */
export interface Written {
  readonly bytes: number;
  readonly rows?: number;
}

/** Writes a response to its target. Throws invalid_argument if the file cannot be created. */
export async function writeAnswer(
  target: OutputTarget,
  answer: AnswerShapes,
  { indent, styled }: AnswerReader,
): Promise<Written> {
  const { format, file } = target;
  if (format === 'table') {
    const lines = await answer.lines();
    const place = placeFlags(process.argv.slice(2));
    const texts = function* () {
      for (const line of lines) {
        const safe = safeLine(line, styled);
        yield `${file === undefined ? asTyped(safe, process.env, place) : safe}\n`;
      }
    };
    return { bytes: await withSink(file, (sink) => writeTexts(sink, texts())) };
  }
  if (format === 'json') {
    const value = await answer.wire();
    return { bytes: await withSink(file, (sink) => writeJson(sink, value, indent ? 2 : 0)) };
  }
  const table = await answer.table();
  const rows = format === 'ndjson' ? (table.records ?? table.rows) : table.rows;
  const bytes = await withSink(file, (sink) => writeRows(format, table.columns, rows, sink));
  return { bytes, rows: rows.length };
}

/** `wrote hits.csv: 5 rows as csv, 1.2 kB`. */
export function writtenLine({ file, format }: OutputTarget, { bytes, rows }: Written): string {
  const what = rows === undefined ? format : `${plural(rows, 'row')} as ${format}`;
  return `wrote ${file}: ${what}, ${byteText(bytes)}`;
}

/** Writes a value as JSON and a line end; `indent` blanks for people. */
export async function writeJson(sink: ByteSink, value: unknown, indent = 0): Promise<void> {
  const texts = function* () {
    yield* jsonPieces(value, indent);
    yield '\n';
  };
  await writeTexts(sink, texts());
}

async function writeRows(
  format: RowFormat,
  columns: RowTable['columns'],
  rows: RowTable['rows'],
  sink: ByteSink,
): Promise<void> {
  const out = await rowWriter(format, columns, sink);
  for (const row of rows) await out.write(row);
  await out.end();
}
