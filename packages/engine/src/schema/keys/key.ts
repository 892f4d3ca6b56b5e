/**
 * Keys. A document's key is the canonical text (column-text.ts) of each key column, partition
 * columns first.
 *
 * Encoded: the texts in UTF-8, each 0x00 inside a text written as 0x00 0xFF, texts separated by
 * 0x00 0x01. Numbers of a column of integers or decimals are in their sorting form
 * (key-number.ts). Comparing encoded keys byte by byte therefore compares column by column:
 * numbers by value, texts as bytes and before their extensions.
 *
 * Command line: `name=value,name=value`; `\` escapes `,` `=` and `\` inside names and values.
 */

import { type Coordinates, type KeyPart, LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { isNumberForm, numberForm, numberText } from './key-number.ts';

/** The key columns of an index, in order. */
export interface KeySpec {
  readonly partition: readonly string[];
  readonly identifier: readonly string[];
  /** Key columns by their place in the key whose numbers are in sorting form. Absent: none. */
  readonly numbers?: readonly number[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Partition columns, then identifier columns. */
export function keyColumns(spec: KeySpec): readonly string[] {
  return [...spec.partition, ...spec.identifier];
}

/**
 * The encoded key of one canonical text per column; `numbers` as in `KeySpec`. Throws
 * invalid_argument for text that is not well-formed Unicode.
 */
export function encodeKey(texts: readonly string[], numbers: KeySpec['numbers'] = []): Uint8Array {
  for (const text of texts) {
    if (!text.isWellFormed()) {
      throw new LhsError(
        'invalid_argument',
        `key value ${JSON.stringify(text)} is not Unicode text`,
      );
    }
  }
  const sorting = (i: number) => (numbers.includes(i) ? numberForm(texts[i]) : null);
  if (texts.length === 1 && !texts[0].includes('\u0000')) {
    return sorting(0) ?? encoder.encode(texts[0]);
  }
  const out: number[] = [];
  texts.forEach((text, i) => {
    if (i > 0) out.push(0, 1);
    for (const byte of sorting(i) ?? encoder.encode(text)) {
      out.push(byte);
      if (byte === 0) out.push(0xff);
    }
  });
  return Uint8Array.from(out);
}

/**
 * The canonical texts of an encoded key, one a column. Throws corrupt_index when the bytes are no
 * key.
 */
export function decodeKey(key: Uint8Array): string[] {
  const texts: string[] = [];
  let from = 0;
  let escaped = false;
  for (let at = 0; at < key.length; at++) {
    if (key[at] !== 0) continue;
    const next = key[at + 1];
    if (next === 0xff) escaped = true;
    else if (next === 1) {
      texts.push(decodePart(key.subarray(from, at), escaped));
      from = at + 2;
      escaped = false;
    } else throw new LhsError('corrupt_index', `key ${hex(key)} has a stray 0x00 at byte ${at}`);
    at++;
  }
  texts.push(decodePart(key.subarray(from), escaped));
  return texts;
}

/** One column's text: each 0x00 0xFF is a 0x00, a number in sorting form its decimal text. */
function decodePart(bytes: Uint8Array, escaped: boolean): string {
  if (isNumberForm(bytes, 0, bytes.length)) return numberText(bytes);
  if (!escaped) return decodeText(bytes);
  return decodeText(bytes.filter((_, i) => i === 0 || bytes[i - 1] !== 0));
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new LhsError('corrupt_index', `key text ${hex(bytes)} is not UTF-8`, { cause });
  }
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.subarray(0, 64)).toString('hex')}`;
}

/** The coordinates of an encoded key; `partition` is left out where the key has none. */
export function coordinatesOf(spec: KeySpec, key: Uint8Array): Coordinates {
  return coordinatesOfTexts(spec, decodeKey(key));
}

/** The coordinates of one canonical text a key column. */
export function coordinatesOfTexts(spec: KeySpec, texts: readonly string[]): Coordinates {
  const names = keyColumns(spec);
  if (texts.length !== names.length) {
    const expected = `${names.length} key columns (${names.join(', ')})`;
    throw new LhsError('corrupt_index', `a key has ${texts.length} texts, expected ${expected}`);
  }
  const parts = names.map((name, i) => ({ name, value: texts[i] }));
  const identifier = parts.slice(spec.partition.length);
  if (spec.partition.length === 0) return { identifier };
  return { partition: parts.slice(0, spec.partition.length), identifier };
}

/** The id of a key of one column; empty of others. */
export const idOf = ({ partition = [], identifier }: Coordinates): { readonly id?: string } =>
  partition.length + identifier.length === 1 ? { id: identifier[0].value } : {};

/**
 * The canonical texts of coordinates in the order of `spec`, whatever order they were given in.
 * Throws invalid_argument for a column that is missing, unknown or given twice.
 */
export function textsOfCoordinates(spec: KeySpec, coordinates: Coordinates): string[] {
  const names = keyColumns(spec);
  const given = new Map<string, string>();
  for (const part of [...(coordinates.partition ?? []), ...(coordinates.identifier ?? [])]) {
    if (!names.includes(part.name)) throw unknownColumn(part.name, names);
    if (given.has(part.name)) throw keyError(`key column "${part.name}" is given twice`, names);
    if (typeof part.value !== 'string') {
      throw keyError(`the value of key column "${part.name}" must be a string`, names);
    }
    given.set(part.name, part.value);
  }
  return names.map((name) => {
    const value = given.get(name);
    if (value === undefined) throw keyError(`key column "${name}" is missing`, names);
    return value;
  });
}

function unknownColumn(name: string, names: readonly string[]): LhsError {
  return keyError(`"${name}" is not a key column${didYouMean(name, names)}`, names);
}

function keyError(message: string, names: readonly string[]): LhsError {
  return new LhsError('invalid_argument', message, {
    hint: `a key is written ${names.map((name) => `${name}=…`).join(',')}`,
  });
}

/** The encoded key of coordinates. Throws as `textsOfCoordinates` does. */
export function keyOfCoordinates(spec: KeySpec, coordinates: Coordinates): Uint8Array {
  return encodeKey(textsOfCoordinates(spec, coordinates), spec.numbers);
}

/** The command line form: `repo=git,sha=1a3e…`. */
export function formatKey({ partition = [], identifier }: Coordinates): string {
  let text = '';
  for (const parts of [partition, identifier]) {
    for (const { name, value } of parts) {
      text += `${text === '' ? '' : ','}${escapePart(name)}=${escapePart(value)}`;
    }
  }
  return text;
}

const RESERVED = /[\\,=]/;

/** Each hit has a key, and few texts need an escape: a test is faster than a replacement. */
const escapePart = (text: string): string =>
  RESERVED.test(text) ? text.replaceAll(/[\\,=]/g, '\\$&') : text;

/**
 * Reads the command line form; where `spec` is given, names are checked and sorted into partition
 * and identifier (a bare value is accepted for a key of one column). Throws invalid_argument with
 * the place of the fault.
 */
export function parseKey(text: string, spec?: KeySpec): Coordinates {
  const parts = splitKey(text, spec);
  if (spec === undefined) return { identifier: parts };
  return coordinatesOfTexts(spec, textsOfCoordinates(spec, { identifier: parts }));
}

function splitKey(text: string, spec: KeySpec | undefined): KeyPart[] {
  const pieces: { name: string | null; value: string }[] = [{ name: null, value: '' }];
  for (let i = 0; i < text.length; i++) {
    const last = pieces[pieces.length - 1];
    const c = text[i];
    if (c === '\\') {
      if (i + 1 === text.length) throw misplaced(text, i, 'a key cannot end in a single "\\"');
      last.value += text[++i];
    } else if (c === ',') {
      pieces.push({ name: null, value: '' });
    } else if (c === '=' && last.name === null) {
      last.name = last.value;
      last.value = '';
    } else {
      last.value += c;
    }
  }
  const only = spec === undefined ? [] : keyColumns(spec);
  return pieces.map((piece) => {
    if (piece.name !== null) return { name: piece.name, value: piece.value };
    if (only.length === 1 && pieces.length === 1) return { name: only[0], value: piece.value };
    throw misplaced(text, 0, `"${piece.value}" in key "${text}" is not of the form column=value`);
  });
}

function misplaced(text: string, at: number, message: string): LhsError {
  return new LhsError('invalid_argument', message, {
    hint: 'write "\\," "\\=" and "\\\\" for , = and \\ inside a value',
    place: { text, from: at, to: text.length },
  });
}
