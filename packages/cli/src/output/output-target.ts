import { extname } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { ROW_FORMATS, type RowFormat } from './row-formats.ts';

/** What an answer can be printed as. `table`: for people; `json`: the wire answer. */
export const OUTPUT_FORMATS = ['table', 'json', ...ROW_FORMATS] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The flags of commands whose answers come in all formats. */
export const outputFlags = {
  format: Flags.string({
    options: [...OUTPUT_FORMATS],
    description: 'output format (table; with --output the file’s ending decides)',
  }),
  output: Flags.string({
    char: 'o',
    description: 'write to a file instead of stdout',
    helpValue: 'FILE',
  }),
};

/** Those flags as oclif has read them. */
interface OutputFlags {
  readonly json?: boolean;
  readonly format?: string;
  readonly output?: string;
}

/** The flags of commands that print rows alone. */
export const rowOutputFlags = {
  format: Flags.string({
    options: [...ROW_FORMATS],
    description: 'output format (ndjson; with --output the file’s ending decides)',
  }),
  output: outputFlags.output,
};

/** Where an answer goes, and as what. */
export interface OutputTarget<Format extends OutputFormat = OutputFormat> {
  readonly format: Format;
  /** None: standard output. */
  readonly file?: string;
}

const BINARY: readonly OutputFormat[] = ['arrow', 'arrows', 'parquet'];
const BY_ENDING: Readonly<Record<string, OutputFormat>> = {
  '.txt': 'table',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.arrow': 'arrow',
  '.arrows': 'arrows',
  '.feather': 'arrow',
  '.parquet': 'parquet',
};

/**
 * Format and file of the flags. Throws invalid_argument for two formats at once, an unknown ending,
 * and binary formats on a terminal.
 */
export function outputTarget(flags: OutputFlags, interactive: boolean): OutputTarget {
  const asked = flags.format as OutputFormat | undefined;
  if (flags.json && asked !== undefined && asked !== 'json') {
    throw new LhsError('invalid_argument', `--json and --format ${asked} contradict each other`);
  }
  const file = flags.output === '-' ? undefined : flags.output;
  const format = flags.json ? 'json' : (asked ?? (file === undefined ? 'table' : endingOf(file)));
  return checked(format, file, interactive);
}

/** The same for rows alone: NDJSON by default, and no format for people. */
export function rowTarget(flags: OutputFlags, interactive: boolean): OutputTarget<RowFormat> {
  const file = flags.output === '-' ? undefined : flags.output;
  const asked = flags.format as RowFormat | undefined;
  const format = asked ?? (file === undefined ? 'ndjson' : endingOf(file, ROW_FORMATS));
  return checked(format as RowFormat, file, interactive);
}

function checked<Format extends OutputFormat>(
  format: Format,
  file: string | undefined,
  interactive: boolean,
): OutputTarget<Format> {
  if (file !== undefined) return { format, file };
  if (interactive && BINARY.includes(format)) {
    const message = `--format ${format} is binary and cannot be written to a terminal`;
    const hint = 'add --output FILE, or redirect standard output';
    throw new LhsError('invalid_argument', message, { hint });
  }
  return { format };
}

function endingOf(file: string, formats: readonly OutputFormat[] = OUTPUT_FORMATS): OutputFormat {
  const format = BY_ENDING[extname(file).toLowerCase()];
  if (format !== undefined && formats.includes(format)) return format;
  const endings = Object.keys(BY_ENDING).filter((ending) => formats.includes(BY_ENDING[ending]));
  throw new LhsError('invalid_argument', `--output "${file}": the file name has no known ending`, {
    hint: `add --format, or end it in ${endings.join(', ')}`,
  });
}
