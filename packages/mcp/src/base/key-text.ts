import { type Coordinates, type KeyPart, LhsError } from '@lakehouse-search/contract';

/**
 * A key as agents read and write it: `repo=git,sha=1a3e`. Names and values are percent-encoded, so
 * that the text can be part of a URI.
 */
export function keyText({ partition = [], identifier }: Coordinates): string {
  return [...partition, ...identifier]
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join(',');
}

/** A key's text with the characters of its values that need no code outside of a URI. */
export const readableKey = (text: string): string =>
  text.replace(/(?<==)[^,]*/g, (part) => {
    const value = decodeURIComponent(part);
    return PLAIN_VALUE.test(value) ? value : part;
  });

const PLAIN_VALUE = /^[\p{L}\p{N}_.:@+/ -]+$/u;

/** A key's text that does not depend on the order of its columns. */
export const keyName = (key: Coordinates): string => keyText(key).split(',').sort().join(',');

/** The coordinates of a key's text. Throws invalid_argument. */
export function coordinatesOfText(text: string): Coordinates {
  return { identifier: text.split(',').map((part) => partOf(part, text)) };
}

function partOf(part: string, text: string): KeyPart {
  const at = part.indexOf('=');
  if (at <= 0) throw keyFault(text);
  try {
    return {
      name: decodeURIComponent(part.slice(0, at)),
      value: decodeURIComponent(part.slice(at + 1)),
    };
  } catch (cause) {
    throw keyFault(text, cause);
  }
}

function keyFault(text: string, cause?: unknown): LhsError {
  const message = `"${text.slice(0, 200)}" is not a key: expected column=value,column=value`;
  const hint = 'copy the key of a hit; write , = and % inside a value as %2C, %3D and %25';
  return new LhsError('invalid_argument', message, { hint, cause });
}
