/** Page headers (parquet.thrift, PageHeader): where a page's bytes are and how to read them. */
import { LIMITS } from '../base/limits.ts';
import { numberAt, readThrift, structAt, type ThriftStruct } from './encodings/thrift.ts';
import { type FaultPlace, parquetFault, parquetLimit } from './fault.ts';

interface PageBase {
  /** Bytes of the header itself, and of the page behind it as stored and once decompressed. */
  readonly headerBytes: number;
  readonly storedBytes: number;
  readonly plainBytes: number;
  readonly crc: number | null;
  readonly valueCount: number;
  readonly encoding: number;
}
export type PageHeader =
  | (PageBase & { readonly kind: 'dictionary' })
  | (PageBase & {
      readonly kind: 'v1';
      readonly definitionEncoding: number;
      readonly repetitionEncoding: number;
    })
  | (PageBase & {
      readonly kind: 'v2';
      readonly rows: number;
      readonly nulls: number;
      readonly definitionBytes: number;
      readonly repetitionBytes: number;
      readonly compressed: boolean;
    })
  | (PageBase & { readonly kind: 'other' });

/** The header at the start of `bytes`. Throws the file's `*_invalid` error or `limit_exceeded`. */
export function readPageHeader(bytes: Uint8Array, place: FaultPlace): PageHeader {
  const { struct, end } = readThrift(bytes, 0, place);
  const plainBytes = numberAt(struct, 2) ?? -1;
  const storedBytes = numberAt(struct, 3) ?? -1;
  if (plainBytes < 0 || storedBytes < 0) {
    throw parquetFault(place, `a page header claims ${storedBytes} bytes for ${plainBytes}`);
  }
  if (plainBytes > LIMITS.parquetPageBytes || storedBytes > LIMITS.parquetPageBytes) {
    throw parquetLimit(place, `a page of ${Math.max(plainBytes, storedBytes)} bytes`);
  }
  const sizes = { headerBytes: end, storedBytes, plainBytes, crc: numberAt(struct, 4) };
  const header = readKind(struct, sizes);
  if (header === null) throw parquetFault(place, 'a page header lacks its details');
  if (header.valueCount < 0) {
    throw parquetFault(place, `a page header claims ${header.valueCount} values`);
  }
  if (header.valueCount > LIMITS.parquetValuesPerPage) {
    throw parquetLimit(place, `a page of ${header.valueCount} values`);
  }
  return header;
}

type Sizes = Pick<PageBase, 'headerBytes' | 'storedBytes' | 'plainBytes' | 'crc'>;

function readKind(struct: ThriftStruct, sizes: Sizes): PageHeader | null {
  switch (numberAt(struct, 1)) {
    case 0: {
      const data = structAt(struct, 5);
      if (data === null) return null;
      return {
        kind: 'v1',
        ...sizes,
        valueCount: numberAt(data, 1) ?? -1,
        encoding: numberAt(data, 2) ?? -1,
        definitionEncoding: numberAt(data, 3) ?? 3,
        repetitionEncoding: numberAt(data, 4) ?? 3,
      };
    }
    case 2: {
      const dictionary = structAt(struct, 7);
      if (dictionary === null) return null;
      const valueCount = numberAt(dictionary, 1) ?? -1;
      return { kind: 'dictionary', ...sizes, valueCount, encoding: numberAt(dictionary, 2) ?? 0 };
    }
    case 3:
      return readV2(structAt(struct, 8), sizes);
    default:
      return { kind: 'other', ...sizes, valueCount: 0, encoding: 0 };
  }
}

function readV2(data: ThriftStruct | null, sizes: Sizes): PageHeader | null {
  if (data === null) return null;
  const definitionBytes = numberAt(data, 5) ?? -1;
  const repetitionBytes = numberAt(data, 6) ?? -1;
  const levels = definitionBytes + repetitionBytes;
  if (definitionBytes < 0 || repetitionBytes < 0) return null;
  if (levels > sizes.storedBytes || levels > sizes.plainBytes) return null;
  return {
    kind: 'v2',
    ...sizes,
    valueCount: numberAt(data, 1) ?? -1,
    nulls: numberAt(data, 2) ?? 0,
    rows: numberAt(data, 3) ?? -1,
    encoding: numberAt(data, 4) ?? -1,
    definitionBytes,
    repetitionBytes,
    compressed: data.get(7) !== false,
  };
}
