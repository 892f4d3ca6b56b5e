import { jsonPieces } from '../terminal/json-text.ts';
import { safeLine } from '../terminal/printable.ts';
import type { ByteSink, OutputColumn, OutputRow } from './columns.ts';
import { withSink } from './output-sink.ts';
import type { OutputTarget } from './output-target.ts';
import { type RowFormat, rowWriter } from './row-writer.ts';
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

/** Writes a response to its target. Throws invalid_argument if the file cannot be created. */
export async function writeAnswer(
  target: OutputTarget,
  answer: AnswerShapes,
  { indent, styled }: AnswerReader,
): Promise<void> {
  const { format, file } = target;
  if (format === 'table') {
    const lines = await answer.lines();
    const texts = function* () {
      for (const line of lines) yield `${safeLine(line, styled)}\n`;
    };
    return withSink(file, (sink) => writeTexts(sink, texts()));
  }
  if (format === 'json') {
    const value = await answer.wire();
    return withSink(file, (sink) => writeJson(sink, value, indent ? 2 : 0));
  }
  const table = await answer.table();
  return withSink(file, (sink) => writeRows(format, table, sink));
}

/** Writes a value as JSON and a line end; `indent` blanks for people. */
export async function writeJson(sink: ByteSink, value: unknown, indent = 0): Promise<void> {
  const texts = function* () {
    yield* jsonPieces(value, indent);
    yield '\n';
  };
  await writeTexts(sink, texts());
}

async function writeRows(format: RowFormat, table: RowTable, sink: ByteSink) {
  const out = await rowWriter(format, table.columns, sink);
  const rows = format === 'ndjson' ? (table.records ?? table.rows) : table.rows;
  for (const row of rows) await out.write(row);
  await out.end();
}
