import type { Analyzer } from '../analysis/analyzer.ts';
import type { TokenInfo } from '../backend.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The tokens of a text with positions and UTF-16 offsets, for people. */
export function analyzeText(analyzer: Analyzer, text: string): readonly TokenInfo[] {
  const bytes = encoder.encode(text);
  const units = unitOffsets(text, bytes.length);
  const tokens: TokenInfo[] = [];
  analyzer.analyze(bytes, 0, bytes.length, 0, {
    token(source, from, to, position, start, end) {
      const token = decoder.decode(source.subarray(from, to));
      tokens.push({ token, position, start: units[start], end: units[end] });
    },
  });
  return tokens;
}

/** UTF-16 offset of each UTF-8 offset at a character's start. */
function unitOffsets(text: string, bytes: number): Int32Array {
  const units = new Int32Array(bytes + 1);
  let at = 0;
  let unit = 0;
  for (const character of text) {
    units[at] = unit;
    at += Buffer.byteLength(character);
    unit += character.length;
  }
  units[at] = unit;
  return units;
}
