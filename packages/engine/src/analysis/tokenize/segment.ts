import type { TokenSink } from '../analyzer.ts';
import { decodeUtf8 } from '../unicode/utf8.ts';

let segmenter: Intl.Segmenter | undefined;

/**
 * The word-like segments that Intl.Segmenter finds in text[from .. to), as tokens; returns the
 * position that comes next. Slow (10 MB/s and less), but it knows every script.
 */
export function segmentWords(
  text: Uint8Array,
  from: number,
  to: number,
  position: number,
  sink: TokenSink,
): number {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const { text: characters, offsets } = decodeUtf8(text, from, to);
  let next = position;
  for (const { segment, index, isWordLike } of segmenter.segment(characters)) {
    if (isWordLike !== true) continue;
    const start = offsets[index];
    const end = offsets[index + segment.length];
    sink.token(text, start, end, next++, start, end);
  }
  return next;
}
