/** JSON values, as requests and responses hold them. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };

export type JsonObject = { readonly [k: string]: Json };

/**
 * The JSON text of a value, in which -0 is `-0`. `JSON.stringify` writes 0 for it, and is slow with
 * a function that replaces values, so it gets one only if there is a -0.
 */
export function textOfJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, hasNegativeZero(value) ? exactZero : undefined, indent);
}

function hasNegativeZero(value: unknown): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) {
    if (hasNegativeZero((value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

/** A replacer of `JSON.stringify`. */
export const exactZero = (_: string, value: unknown): unknown =>
  Object.is(value, -0) ? RAW.rawJSON('-0') : value;

const RAW = JSON as typeof JSON & { rawJSON(text: string): object };
