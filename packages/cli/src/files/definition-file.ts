import { LhsError } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { inlineSynonyms } from './inline-synonyms.ts';
import { folderOf } from './open-input.ts';
import { readText } from './read-text.ts';

/** The definition file as an argument. */
export const definitionArg = Args.string({
  ignoreStdin: true,
  description: 'definition (YAML), - for stdin',
});

/** The same as a flag. */
export const definitionFlag = Flags.string({
  char: 'f',
  description: 'the same as a flag',
  helpValue: 'FILE',
});

/** A definition, the name of its file, and the folder that relative paths in it begin at. */
export interface DefinitionFile {
  readonly file: string;
  /** The text of the file. */
  readonly text: string;
  /** The same with the files of synonyms that it names. */
  readonly definition: string;
  readonly baseDir: string;
}

/** Reads the one file that argument and flag name. Throws invalid_argument, not_found. */
export async function readDefinition(
  argument: string | undefined,
  flag: string | undefined,
): Promise<DefinitionFile> {
  const file = argument ?? flag;
  if (file === undefined) {
    throw new LhsError('invalid_argument', 'the definition file is missing', {
      hint: 'lhs index init NAMESPACE.TABLE --warehouse DIR > FILE writes one',
    });
  }
  if (argument !== undefined && flag !== undefined) {
    throw new LhsError('invalid_argument', `two definitions: "${argument}" and "${flag}"`);
  }
  const text = await readText(file);
  const baseDir = folderOf(file);
  return { file, text, definition: await inlineSynonyms(text, baseDir), baseDir };
}
