/**
 * Straight-line unpackers of blocks of 128, one a width: made once, as text, because V8 unrolls no
 * loop by itself.
 */

/**
 * Adds up deltas from word `at` on: into[to + i] = document i; `last`: the document before the
 * block.
 */
export type UnpackDocs = (
  words: Int32Array,
  at: number,
  into: Int32Array,
  to: number,
  last: number,
) => void;
/** into[to + i] = value i + 1. */
export type UnpackFrequencies = (
  words: Int32Array,
  at: number,
  into: Int32Array,
  to: number,
) => void;

const BLOCK = 128;
const docUnpackers: UnpackDocs[] = [];
const frequencyUnpackers: UnpackFrequencies[] = [];

/** The unpacker for deltas of a width. */
export function docUnpacker(width: number): UnpackDocs {
  docUnpackers[width] ??= new Function(
    'I',
    'p',
    'out',
    'o',
    'acc',
    body(width, 'documents'),
  ) as UnpackDocs;
  return docUnpackers[width];
}

/** The unpacker for frequencies, less 1, of a width. */
export function frequencyUnpacker(width: number): UnpackFrequencies {
  frequencyUnpackers[width] ??= new Function(
    'I',
    'p',
    'out',
    'o',
    body(width, 'frequencies'),
  ) as UnpackFrequencies;
  return frequencyUnpackers[width];
}

type Output = 'documents' | 'frequencies';

/** What is done with value `i` of a block. */
function write(output: Output, i: string, value: string): string {
  if (output === 'frequencies') return `out[o + ${i}] = (${value}) + 1;`;
  return `out[o + ${i}] = acc = acc + (${value}) + 1 | 0;`;
}

function body(width: number, output: Output): string {
  if (width === 0) return `for (let i = 0; i < ${BLOCK}; i++) { ${write(output, 'i', '0')} }`;
  const mask = 2 ** width - 1;
  const lines = ['let x = I[p];'];
  for (let i = 0, word = 0; i < BLOCK; i++) {
    const bit = i * width;
    const shift = bit & 31;
    if (word < bit >> 5) lines.push(`x = I[p + ${++word}];`);
    let value: string;
    if (shift + width < 32) value = `x >>> ${shift} & ${mask}`;
    else if (shift + width === 32) value = `x >>> ${shift}`;
    else {
      lines.push(`const y${i} = x >>> ${shift}; x = I[p + ${++word}];`);
      value = `(y${i} | x << ${32 - shift}) & ${mask}`;
    }
    lines.push(write(output, `${i}`, value));
  }
  return lines.join('\n');
}
