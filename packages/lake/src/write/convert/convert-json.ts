import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { inputBytes } from '../input/input-bytes.ts';
import type { InputFile } from '../input/input-files.ts';
import { jsonTextPaths, type ReadingOptions } from '../input/reading-options.ts';
import type { Conversion, ConvertedInput } from './conversion.ts';
import {
  type FoundRows,
  findJsonRows,
  inOneWay,
  type JsonRows,
  rowsIn,
  writeJsonRows,
  writeLargeArray,
} from './json-rows.ts';
import { KeyRules } from './key-rules.ts';
import { KeyTree } from './key-tree.ts';
import { asUtf8, hasMark, UTF8, writeUtf8 } from './text-encoding.ts';
import { writeLines } from './write-lines.ts';

/** JSON whose rows DuckDB finds, with the changes of keys that the options name. */
export async function convertJson(
  files: readonly InputFile[],
  conversion: Conversion,
): Promise<ConvertedInput> {
  const { files: texts, encoding } = await asUtf8(files, conversion);
  const found: FoundRows[] = [];
  for (const [i, text] of texts.entries()) {
    found.push(await findRows(text, files[i].path, conversion));
  }
  const located: Located[] = [];
  for (const one of inOneWay(found)) located.push(await locateRows(one, conversion));
  const rows = located.find((one) => one.rows !== undefined)?.rows;
  const reading = { kind: 'json' as const, encoding, rows };
  const rowFiles = located.map(({ file }) => file);
  const changed = await withChangedKeys(rowFiles, conversion);
  const isKeyed = located.some((one) => one.isKeyed);
  return { ...changed, format: 'json', isKeyed, reading };
}

async function findRows(
  text: InputFile,
  name: string,
  { options, signal, newPath }: Conversion,
): Promise<FoundRows> {
  // DuckDB reads an array behind a mark as one value
  const isMarked = await hasMark(text);
  const file = isMarked ? await writeUtf8(text, UTF8, newPath('.txt'), signal) : text;
  const isOpen = options.kind === undefined && !/\.(ndjson|jsonl)(\.\w+)?$/i.test(name);
  if (options.rowsAt !== undefined) return { file, rows: options.rowsAt };
  return isOpen ? findJsonRows(file, signal) : { file, rows: 'values' };
}

interface Located {
  readonly file: InputFile;
  /** Where its rows are, if they are not its values. */
  readonly rows?: JsonRows;
  /** Whether its rows are members of an object. */
  readonly isKeyed: boolean;
}

async function locateRows(
  { file, rows }: FoundRows,
  { options, memoryBytes, signal, newPath }: Conversion,
): Promise<Located> {
  const to = newPath('.ndjson');
  if (typeof rows === 'object') {
    const hasValues = jsonTextPaths(options).includes('value');
    return { ...(await writeJsonRows(file, rows, to, hasValues, signal)), rows };
  }
  return { file: (await writeLargeArray(file, memoryBytes, to, signal)) ?? file, isKeyed: false };
}

async function withChangedKeys(
  files: readonly InputFile[],
  { options, newPath, signal }: Conversion,
): Promise<Pick<ConvertedInput, 'files' | 'changedKeys'>> {
  const rename = new Map(Object.entries(options.rename ?? {}));
  const wide = (await wideColumns(files, signal)).map((name) => rename.get(name) ?? name);
  const named = jsonTextPaths(options);
  const texts = new Set([...wide, ...named]);
  if (rename.size + texts.size === 0) return { files };
  const rules = new KeyRules({ rename, texts });
  const changed: InputFile[] = [];
  for (const { shown, ...file } of files) {
    const path = newPath('.ndjson');
    await writeLines(changedRows({ ...file, shown }, rules, signal), path, signal);
    changed.push({ path, compression: null, shown });
  }
  const inner = named.filter((path) => rules.used.has(path) && !rules.columns.has(path));
  refuseInnerVariants(inner, options);
  return { files: changed, changedKeys: { used: rules.used, inner, jsonTexts: rules.columns } };
}

async function* changedRows(file: InputFile, rules: KeyRules, signal?: AbortSignal) {
  for await (const row of rowsIn(file, signal)) yield rules.apply(row);
}

function refuseInnerVariants(paths: readonly string[], { types = {} }: ReadingOptions): void {
  const path = paths.find((one) => types[one].trim().toLowerCase() === 'variant');
  if (path === undefined) return;
  const message = `"${path}" is inside of an object: only a column can be a variant`;
  throw new LakeError('invalid_argument', message, { details: { option: 'inner_variant', path } });
}

/** Bytes that are looked at for different keys, and texts whose keys are counted. */
const LOOKED_AT = 8 * 2 ** 20;
const COUNTED_CHARS = 128 * 2 ** 20;

/**
 * The columns whose objects have too many different keys: DuckDB holds a type for each of them in
 * memory that it does not limit.
 */
async function wideColumns(
  files: readonly InputFile[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (!(await hasManyKeys(files))) return [];
  const tree = new KeyTree();
  let chars = 0;
  for (const file of files) {
    for await (const row of rowsIn(file, signal)) {
      tree.note(row);
      chars += row.length;
      if (chars > COUNTED_CHARS) break;
    }
  }
  return [...tree.wide];
}

async function hasManyKeys(files: readonly InputFile[]): Promise<boolean> {
  const keys = new Set<string>();
  let bytes = 0;
  for (const file of files) {
    for await (const part of inputBytes(file)) {
      for (const [, key] of part.toString('latin1').matchAll(/"([^"\\]{1,64})"\s*:/g))
        keys.add(key);
      bytes += part.length;
      if (keys.size > LIMITS.importLeaves || bytes > LOOKED_AT) {
        return keys.size > LIMITS.importLeaves;
      }
    }
  }
  return false;
}
