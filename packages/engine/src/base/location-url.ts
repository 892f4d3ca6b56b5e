import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Whether a text is a location with a scheme, such as `s3://bucket/prefix`, and no path. */
export const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** A location with a scheme and without a slash at its end: a path is that of a folder. */
export function locationUrl(location: string): string {
  return hasScheme(location) ? location.replace(/\/+$/, '') : pathToFileURL(resolve(location)).href;
}

/** Whether an address has parts that are empty, `.` or `..`: stores differ in what they mean. */
export const hasEmptyParts = (address: string): boolean =>
  /\/\.{0,2}(?:\/|$)/.test(address.replace('://', '').replace(/\/+$/, ''));
