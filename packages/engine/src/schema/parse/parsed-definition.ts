import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import type { Definition } from '../definition.ts';

/**
 * Counts up with every change of `Definition` or of what the parser makes of a text: what was
 * stored before is then parsed again.
 */
export const PARSED_FORMAT = 7;

/**
 * A checked definition as JSON, to be kept beside its text: reading it back costs nothing, parsing
 * the text costs loading a YAML parser, which takes longer than a search. It begins with a CRC-32
 * of text and JSON: the registry's file has no checksums of its own.
 */
export function storeParsed({ text, ...parsed }: Definition): string {
  const json = JSON.stringify(parsed);
  return `{"format":${PARSED_FORMAT},"crc":${checksum(text, json)},"parsed":${json}}`;
}

/** A definition as a registry stores it: its name, its text, and the text parsed. */
export function storedDefinition(definition: Definition, baseDir: string) {
  const { index: name, text } = definition;
  return { name, definition: text, parsed: storeParsed(definition), baseDir };
}

/**
 * The definition that `storeParsed` stored, with its text; null where it has another format. Throws
 * corrupt_index where either is not what was stored.
 */
export function readParsed(stored: string | null, text: string): Definition | null {
  if (stored === null) return null;
  const match = /^\{"format":(\d+),(?:"crc":(\d+),)?"parsed":/.exec(stored);
  if (match === null) throw damaged();
  if (Number(match[1]) !== PARSED_FORMAT) return null;
  const json = stored.slice(match[0].length, -1);
  if (Number(match[2]) !== checksum(text, json)) throw damaged();
  return Object.freeze({ ...(JSON.parse(json) as Definition), text });
}

const checksum = (text: string, json: string): number => crc32(json, crc32(`${text}\n`));

function damaged(): LhsError {
  return new LhsError('corrupt_index', 'the definition in the registry (registry.db) is damaged', {
    hint: 'drop the index and make it again from its definition',
    next: [{ step: 'create_index' }],
  });
}
