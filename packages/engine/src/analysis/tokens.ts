import { LhsError } from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import type { Analyzer } from './analyzer.ts';

/** A token with its place: `start`, `end` are UTF-16 offsets in the text. */
export interface AnalyzedToken {
  readonly token: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/**
 * What an analyzer makes of a text, in order, for people to read. Lone surrogates count as U+FFFD.
 * Throws limit_exceeded for more tokens than an answer may have.
 */
export function analyzeToTokens(analyzer: Analyzer, text: string): AnalyzedToken[] {
  const bytes = Buffer.from(text.toWellFormed());
  const units = unitOffsets(bytes);
  const tokens: AnalyzedToken[] = [];
  analyzer.analyze(bytes, 0, bytes.length, 0, {
    token(source, from, to, position, start, end) {
      if (tokens.length === REQUEST_LIMITS.analyzedTokens) throw tooManyTokens();
      const token = Buffer.from(source.subarray(from, to)).toString();
      tokens.push({ token, position, start: units[start], end: units[end] });
    },
  });
  return tokens;
}

function tooManyTokens(): LhsError {
  const message = `the text has more than ${REQUEST_LIMITS.analyzedTokens} tokens`;
  return new LhsError('limit_exceeded', message, { hint: 'analyze a part of it' });
}

/**
 * By byte offset: the UTF-16 offset of the character that begins there, or of the one that it is
 * inside of.
 */
function unitOffsets(bytes: Uint8Array): Int32Array {
  const offsets = new Int32Array(bytes.length + 1);
  let unit = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if ((byte & 0xc0) === 0x80) {
      offsets[at] = offsets[at - 1];
      continue;
    }
    offsets[at] = unit;
    unit += byte >= 0xf0 ? 2 : 1;
  }
  offsets[bytes.length] = unit;
  return offsets;
}
