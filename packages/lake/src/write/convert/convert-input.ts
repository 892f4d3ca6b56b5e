import { basename } from 'node:path';
import { LakeError } from '../../base/errors.ts';
import type { Type } from '../../schema/type.ts';
import { checkParquet } from '../files/check-parquet.ts';
import {
  commonKind,
  compressionOf,
  hasKnownEnding,
  type InputFile,
  type InputFiles,
  type InputKind,
} from '../input/input-files.ts';
import { hasFilename, kindFor, type ReadingOptions } from '../input/reading-options.ts';
import { arrowLines } from './arrow-rows.ts';
import { avroLines } from './avro-rows.ts';
import { withoutComments } from './comment-lines.ts';
import type { Conversion, ConvertedInput, ConvertedReading } from './conversion.ts';
import { convertJson } from './convert-json.ts';
import { withoutFirstLines } from './first-lines.ts';
import {
  type LogRows,
  logKind,
  logName,
  looksLikeCsv,
  suggestedGrok,
  writeLogRows,
} from './log-rows.ts';
import { asUtf8 } from './text-encoding.ts';
import type { TypedLines } from './typed-rows.ts';
import { writeLines } from './write-lines.ts';
import { sheetRows } from './xlsx-rows.ts';
import { extractMember, zipMembers } from './zip.ts';

/**
 * Converts files of a kind to a format that DuckDB reads. Files of such a format are returned as
 * they are. Throws invalid_argument, unsupported for contents that cannot be read exactly.
 */
export async function convertInput(
  { files, kind }: InputFiles,
  conversion: Conversion,
): Promise<ConvertedInput> {
  refuseOptionsOf(files, kind, conversion.options);
  switch (kind) {
    case 'parquet':
      for (const file of files) await checkParquet(file.path, conversion.formatVersion);
      return { files, format: kind, reading: { kind } };
    case 'csv': {
      const { files: texts, encoding } = await asUtf8(files, conversion);
      const { files: plain, comments } = await withoutComments(texts, conversion);
      const rows = await withoutFirstLines(plain, conversion);
      return { files: rows, format: 'csv', reading: { kind, encoding, comments } };
    }
    case 'zip': {
      const { leftOut, ...members } = await unpacked(files, conversion);
      const converted = await convertInput(members, conversion);
      if (leftOut.length === 0) return converted;
      return { ...converted, reading: { ...converted.reading, leftOut } };
    }
    case 'arrow':
      return convertTyped(files, kind, arrowLines, conversion);
    case 'avro':
      return convertTyped(files, kind, avroLines, conversion);
    case 'xlsx':
      return convertSheets(files, conversion);
    case 'lines':
      return convertLines(files, conversion);
    case 'json':
      return convertJson(files, conversion);
  }
}

/** Options that only inputs of these kinds have, each in words. */
const KINDS_OF = Object.freeze({
  delimiter: { what: 'a delimiter', kinds: ['csv'] },
  skipLines: { what: 'a number of lines above the names', kinds: ['csv', 'xlsx'] },
  sheet: { what: 'the name of a worksheet', kinds: ['xlsx'] },
  rowsAt: { what: 'the path of rows', kinds: ['json'] },
} satisfies Partial<Record<keyof ReadingOptions, { what: string; kinds: readonly InputKind[] }>>);

/** Throws invalid_argument for an option that would have no effect. */
function refuseOptionsOf(
  files: readonly InputFile[],
  kind: InputKind,
  options: ReadingOptions,
): void {
  if (kind === 'zip') return;
  for (const [name, { what, kinds }] of Object.entries(KINDS_OF)) {
    const isSet = options[name as keyof typeof KINDS_OF] !== undefined;
    if (!isSet || (kinds as readonly InputKind[]).includes(kind)) continue;
    const message = `${what} is for ${kinds.join(' and ')}; ${files[0].shown} is read as ${kind}`;
    throw new LakeError('invalid_argument', message, { details: { option: 'kind' } });
  }
}

/** The files in archives, without those that systems add. */
async function unpacked(
  archives: readonly InputFile[],
  { options, signal, newPath }: Conversion,
): Promise<InputFiles & { readonly leftOut: readonly string[] }> {
  const files: InputFile[] = [];
  const names: string[] = [];
  const leftOut: string[] = [];
  for (const archive of archives) {
    const all = await zipMembers(archive);
    const members = all.filter(({ name }) => !/(^|\/)(__MACOSX\/|\.|_)/.test(name));
    const data = members.filter(({ name }) => isData(name));
    // what is no data by its name is left out beside data only
    const taken = data.length === 0 ? members : data;
    leftOut.push(...members.filter((one) => !taken.includes(one)).map(({ name }) => name));
    for (const member of taken) {
      const path = newPath(`-${basename(member.name)}`);
      await extractMember(archive, member, path, signal);
      const shown = `${archive.shown} (${member.name})`;
      files.push({ path, compression: compressionOf(path), shown });
      names.push(member.name);
    }
  }
  if (files.length > 0) return { files, kind: kindFor(options) ?? commonKind(names), leftOut };
  const message = `cannot read ${archives[0].shown}: it has no files`;
  throw new LakeError('invalid_argument', message, { file: archives[0].path });
}

const isData = (name: string): boolean =>
  hasKnownEnding(name) && !/(^|\/)(readme|licen[cs]e|copying|notice|changelog)\b/i.test(name);

/** Files whose columns have types, which are those of the first file. */
async function convertTyped(
  files: readonly InputFile[],
  kind: InputKind,
  open: (file: InputFile) => Promise<TypedLines>,
  { newPath, signal }: Conversion,
): Promise<ConvertedInput> {
  const types = new Map<string, Type>();
  const converted: InputFile[] = [];
  for (const file of files) {
    const { type, lines } = await open(file);
    for (const field of type.fields) {
      if (!types.has(field.name)) types.set(field.name, field.type);
    }
    const path = newPath('.ndjson');
    await writeLines(lines, path, signal);
    converted.push({ path, compression: null, shown: file.shown });
  }
  return { files: converted, format: 'json', types, reading: { kind } };
}

async function convertSheets(
  files: readonly InputFile[],
  { options, newPath, signal }: Conversion,
): Promise<ConvertedInput> {
  const converted: InputFile[] = [];
  let read: ConvertedReading['sheet'];
  let texts: readonly string[] | undefined;
  for (const file of files) {
    const sheet = await sheetRows(file, options, newPath, signal);
    const { name, others, header } = sheet;
    read ??= { name, others, header };
    texts = texts?.filter((name) => sheet.texts.includes(name)) ?? sheet.texts;
    const path = newPath('.csv');
    await writeLines(sheet.lines, path, signal);
    converted.push({ path, compression: null, shown: file.shown });
  }
  const types = Object.fromEntries((texts ?? []).map((name) => [name, 'string']));
  const reading = { kind: 'xlsx' as const, sheet: read };
  return { files: converted, format: 'csv', options: { types }, reading };
}

async function convertLines(
  files: readonly InputFile[],
  conversion: Conversion,
): Promise<ConvertedInput> {
  const { files: texts, encoding } = await asUtf8(files, conversion);
  const { options } = conversion;
  const kind = await logKind(texts, options);
  const parts = hasFilename(options) ? texts.map((text) => [text]) : [texts];
  const written: LogRows[] = [];
  for (const part of parts) written.push(await writeLogRows(part, kind, conversion));
  const isPlain = kind.log === 'lines' && options.lines !== true;
  const hint = isPlain ? await lineHint(texts) : {};
  const unmatched = written.reduce((sum, rows) => sum + rows.unmatched, 0);
  const mixed = texts.length > parts.length ? { isMixed: true as const } : {};
  const lines = { as: logName(kind), unmatched, ...hint, ...mixed };
  const types = Object.assign({}, ...written.map((rows) => rows.options.types ?? {}));
  return {
    files: written.map(({ file }) => file),
    format: written[0].format,
    options: { ...written[0].options, types },
    reading: { kind: 'lines', encoding, lines },
  };
}

async function lineHint(texts: readonly InputFile[]): Promise<Partial<ConvertedReading['lines']>> {
  if (await looksLikeCsv(texts)) return { isLikeCsv: true };
  const grok = await suggestedGrok(texts);
  return grok === undefined ? {} : { grok };
}
