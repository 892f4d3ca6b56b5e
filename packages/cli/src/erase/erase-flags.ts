import { type Coordinates, type ErasureCheckRequest, LhsError } from '@lakehouse-search/contract';
import { type KeySpec, parseKey } from '@lakehouse-search/engine';
import { Flags } from '@oclif/core';
import { indexArg } from '../config/index-arg.ts';
import { absoluteTarget } from '../files/backup-target.ts';
import { readText } from '../files/read-text.ts';

/** The argument of commands that erase. */
export const eraseArgs = {
  index: indexArg,
};

/** Flags that name keys. */
export const keyFlags = {
  key: Flags.string({
    description: 'key as name=value,name=value; repeatable',
    helpValue: 'KEY',
    multiple: true,
  }),
  keys: Flags.string({
    description: 'file with one key per line, - for stdin',
    helpValue: 'FILE',
  }),
};

/** Flags of a check and a run. */
export const eraseFlags = {
  ...keyFlags,
  texts: Flags.string({
    description: 'file with texts that the rows held, one per line (or a JSON string per line)',
    helpValue: 'FILE',
  }),
  deep: Flags.boolean({ description: 'also search the bytes of all files of the data folder' }),
  backup: Flags.string({
    description: 'place of backups to examine; repeatable (the setting backup_target)',
    helpValue: 'PLACE',
    multiple: true,
  }),
};

/** The keys that flags name. `spec` is that of the index, if it is known. */
export async function readKeys(
  flags: { readonly key?: readonly string[] | undefined; readonly keys?: string | undefined },
  spec?: KeySpec,
): Promise<readonly Coordinates[]> {
  const texts = [...(flags.key ?? [])];
  if (flags.keys !== undefined) texts.push(...(await linesOf(flags.keys)));
  return texts.map((text) => parseKey(text, spec));
}

/** The request that flags describe. Throws invalid_argument without a key. */
export async function eraseRequest(
  index: string,
  flags: {
    readonly key?: readonly string[] | undefined;
    readonly keys?: string | undefined;
    readonly texts?: string | undefined;
    readonly deep?: boolean | undefined;
    readonly backup?: readonly string[] | undefined;
  },
  spec: KeySpec,
): Promise<ErasureCheckRequest> {
  const keys = await readKeys(flags, spec);
  if (keys.length === 0) {
    throw new LhsError('invalid_argument', 'the key is missing', {
      hint: 'add --key NAME=VALUE, or --keys FILE with one key per line',
    });
  }
  const texts = flags.texts === undefined ? [] : (await linesOf(flags.texts)).map(textOf);
  const { deep = false, backup } = flags;
  const places = backup === undefined ? {} : { backups: backup.map(absoluteTarget) };
  return { index, keys, texts, deep, ...places };
}

const linesOf = async (file: string): Promise<readonly string[]> =>
  (await readText(file)).split(/\r?\n/).filter(Boolean);

/** A text of several lines is written as a JSON string. */
function textOf(line: string): string {
  if (!line.startsWith('"')) return line;
  try {
    return JSON.parse(line) as string;
  } catch {
    return line;
  }
}
