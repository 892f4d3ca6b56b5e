/**
 * A text component that is merged by several threads: each merges the terms of one part and writes
 * them aside, then one thread joins the parts. The result has the bytes of a merge by one thread:
 *   - terms     the terms of a part: varint length, bytes, varint df, varint bytes in `small` if
 *               the term is short; the dictionary is encoded when the parts are joined
 *   - small, big, records   as in the component (format.ts); addresses count from the part
 *   - impacts   f64: addresses in `big`, then the impacts whose codes belong there
 */
import { ByteSink } from '../../base/arrays/growing.ts';
import { RECORD_WORDS } from '../../postings/format.ts';
import { ImpactCodes } from '../../postings/impact-codes.ts';
import type { TermPostings } from '../../postings/postings-buffer.ts';
import type { PostingsKernel } from '../../postings/postings-kernel.ts';
import type { Directory } from '../../storage/directory.ts';
import { type FilePart, Spill, spilledPieces } from '../../storage/spill.ts';
import { DictionaryWriter, isShort } from '../dictionary-writer.ts';
import type { EncodedLengths } from '../lengths.ts';
import { BIG_SLACK, layOutComponent, patching, SMALL_SLACK } from './inverted-encoder.ts';
import { moveRecord, TermEncoder } from './term-encoder.ts';

type PartFile = 'terms' | 'small' | 'big' | 'records' | 'impacts';

/** The files of a part. */
export interface PartFiles {
  readonly directory: Directory;
  readonly name: (file: PartFile) => string;
}

/** Terms that are in memory before they are written aside. */
const LOG_BYTES = 4 * 2 ** 20;

/** Encodes the terms of one part and writes them aside. */
export class TermPartWriter {
  readonly #files: PartFiles;
  readonly #terms: TermEncoder;
  readonly #log = new ByteSink(LOG_BYTES);
  readonly #logged: Spill;

  constructor(docs: number, lengths: EncodedLengths, files: PartFiles, bestDocs: boolean) {
    this.#files = files;
    const open = (file: 'small' | 'big') => this.#open(file);
    this.#terms = new TermEncoder(docs, true, lengths, { open, bestDocs });
    this.#logged = this.#open('terms');
  }

  /** As `InvertedEncoder.kernel`. */
  get kernel(): PostingsKernel | null {
    return this.#terms.kernel;
  }

  /** The next term in byte order, as `InvertedEncoder.term`. */
  term(bytes: Uint8Array, from: number, to: number, postings: TermPostings): void {
    const { df } = postings;
    const log = this.#log;
    if (log.length + to - from + 16 > LOG_BYTES) this.#flush();
    log.varint(to - from);
    log.append(bytes, from, to);
    log.varint(df);
    const bytesInSmall = this.#terms.encode(postings);
    if (isShort(df)) log.varint(bytesInSmall);
  }

  /** Completes the files. Throws disk_full, io_error. */
  finish(): void {
    const { small, big, records, impacts } = this.#terms;
    this.#flush();
    this.#logged.finish();
    small.close();
    big.close();
    this.#write('records', [Int32Array.from(records)]);
    this.#write('impacts', [impacts.noted.at, impacts.noted.value]);
  }

  #flush(): void {
    this.#logged.write(this.#log.view());
    this.#log.clear();
  }

  #write(file: PartFile, arrays: readonly ArrayBufferView[]): void {
    const spill = this.#open(file);
    for (const { buffer, byteOffset, byteLength } of arrays) {
      spill.write(new Uint8Array(buffer, byteOffset, byteLength));
    }
    spill.finish();
  }

  #open(file: PartFile): Spill {
    const { directory, name } = this.#files;
    return new Spill(directory, name(file));
  }
}

/** The component of all parts, whose files are removed when they have been read. */
export function joinTermParts(
  docs: number,
  lengths: EncodedLengths,
  parts: readonly PartFiles[],
  bestDocs: boolean,
): FilePart[] {
  const dictionary = new DictionaryWriter();
  const records: Int32Array[] = [];
  const impacts = new ImpactCodes();
  const sizes = parts.map((part) => ({ small: sizeOf(part, 'small'), big: sizeOf(part, 'big') }));
  let base = { small: 0, big: 0, terms: 0 };
  for (const [i, part] of parts.entries()) {
    if (sizes[i].big > 0) base = { ...base, big: aligned(base.big) };
    const own = recordsOf(part, base.big);
    addTerms(dictionary, part, base.small, base.terms);
    addImpacts(impacts, part, base.big);
    records.push(own);
    base = {
      small: base.small + sizes[i].small,
      big: base.big + sizes[i].big,
      terms: base.terms + own.length / RECORD_WORDS,
    };
  }
  const chosen = impacts.choose();
  return layOutComponent({
    ...{ docs, text: true, bestDocs, lengths, dictionary, impacts: chosen },
    records: joined(records),
    small: streamed(parts, 'small', base.small, SMALL_SLACK, () => {}),
    big: streamed(parts, 'big', base.big, BIG_SLACK, patching(impacts)),
  });
}

/** Terms of `big` begin at multiples of 4. */
const aligned = (length: number): number => (length + 3) & ~3;

const sizeOf = ({ directory, name }: PartFiles, file: PartFile): number =>
  directory.size(name(file));

/** All bytes of a file of a part, in memory of their own. */
function bytesOf({ directory, name }: PartFiles, file: PartFile): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(directory.size(name(file)));
  let at = 0;
  for (const piece of spilledPieces(directory, name(file))) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function recordsOf(part: PartFiles, base: number): Int32Array {
  const records = new Int32Array(bytesOf(part, 'records').buffer);
  for (let at = 0; at < records.length; at += RECORD_WORDS) {
    moveRecord(records.subarray(at, at + RECORD_WORDS), base);
  }
  return records;
}

function addImpacts(impacts: ImpactCodes, part: PartFiles, base: number): void {
  const words = new Float64Array(bytesOf(part, 'impacts').buffer);
  const half = words.length / 2;
  impacts.append(words.subarray(0, half), words.subarray(half), base);
}

function addTerms(
  dictionary: DictionaryWriter,
  part: PartFiles,
  small: number,
  bigTerms: number,
): void {
  const bytes = bytesOf(part, 'terms');
  let smallAt = small;
  let big = bigTerms;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  while (at < bytes.length) {
    const length = varint();
    const from = at;
    at += length;
    const df = varint();
    dictionary.add(bytes, from, from + length, df, smallAt, big);
    if (isShort(df)) {
      const taken = varint();
      dictionary.smallBytes(taken);
      smallAt += taken;
    } else big++;
  }
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A section of all parts, and `slack` zero bytes more; `patch` receives each piece. */
function streamed(
  parts: readonly PartFiles[],
  file: 'small' | 'big',
  length: number,
  slack: number,
  patch: (piece: Uint8Array, from: number) => void,
): FilePart {
  return {
    length: length + slack,
    *pieces() {
      let from = 0;
      for (const part of parts) {
        const isEmpty = sizeOf(part, file) === 0;
        const padding = file === 'big' && !isEmpty ? aligned(from) - from : 0;
        if (padding > 0) yield new Uint8Array(padding);
        from += padding;
        for (const piece of spilledPieces(part.directory, part.name(file))) {
          patch(piece, from);
          yield piece;
          from += piece.length;
        }
      }
      yield new Uint8Array(slack);
    },
  };
}
