import type { TokenSink } from '../analyzer.ts';
import type { Filter } from '../pipeline.ts';
import { lowerBytes, lowerText } from '../unicode/lower.ts';

/**
 * Letters in lower case, code point by code point (unicode/lower.ts). Tokens that are so already
 * are passed on untouched.
 */
export const lowercase: Filter = Object.freeze({
  kind: 'sink',
  attach: (next: TokenSink): TokenSink => new Lowercase(next),
  normalize: lowerText,
});

class Lowercase implements TokenSink {
  private readonly next: TokenSink;
  private buffer = new Uint8Array(1024);

  constructor(next: TokenSink) {
    this.next = next;
  }

  token(
    b: Uint8Array,
    from: number,
    to: number,
    position: number,
    start: number,
    end: number,
  ): void {
    let i = from;
    while (i < to && UNTOUCHED[b[i]] === 1) i++;
    if (i === to) {
      this.next.token(b, from, to, position, start, end);
      return;
    }
    const need = 2 * (to - from) + 4;
    if (this.buffer.length < need) this.buffer = new Uint8Array(2 * need);
    const size = lowerBytes(b, from, to, this.buffer);
    this.next.token(this.buffer, 0, size, position, start, end);
  }
}

/** 1 for the bytes of ASCII characters that are no capital letters. */
const UNTOUCHED = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) UNTOUCHED[byte] = byte >= 65 && byte <= 90 ? 0 : 1;
