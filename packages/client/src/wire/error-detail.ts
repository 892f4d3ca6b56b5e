import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorPlace,
  LhsError,
  type NextStep,
} from '@lakehouse-search/contract';

/** The object `error` of an error's JSON. */
export interface ErrorJson {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const DETAIL_TYPE = 'type.googleapis.com/lhs.v1.ErrorDetail';
const INFO_TYPE = 'type.googleapis.com/google.rpc.ErrorInfo';
const DOMAIN = 'lhs';

/** `google.rpc.Status` with `lhs.v1.ErrorDetail` and `google.rpc.ErrorInfo`. */
export function encodeError(code: number, error: ErrorJson): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  writer.tag(2, WireType.LengthDelimited).string(error.message);
  writeAny(writer, DETAIL_TYPE, (any) => {
    any.tag(1, WireType.LengthDelimited).string(error.code);
    any.tag(2, WireType.Varint).int32(error.status);
    any.tag(3, WireType.LengthDelimited).string(error.message);
    any.tag(4, WireType.LengthDelimited).string(JSON.stringify(error.details));
  });
  writeAny(writer, INFO_TYPE, (any) => {
    any.tag(1, WireType.LengthDelimited).string(error.code);
    any.tag(2, WireType.LengthDelimited).string(DOMAIN);
  });
  return writer.finish();
}

function writeAny(writer: BinaryWriter, type: string, write: (any: BinaryWriter) => void): void {
  writer.tag(3, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(type);
  writer.tag(2, WireType.LengthDelimited).fork();
  write(writer);
  writer.join().join();
}

/** The error of a `google.rpc.Status`; undefined if it has no `lhs.v1.ErrorDetail`. */
export function decodeError(bytes: Uint8Array): ErrorJson | undefined {
  for (const any of stringsOf(bytes, 3)) {
    const [type] = stringsOf(any, 1);
    const [value] = stringsOf(any, 2);
    if (type === undefined || value === undefined || textOf(type) !== DETAIL_TYPE) continue;
    const texts = [1, 3, 4].map((number) => stringsOf(value, number).map(textOf)[0] ?? '');
    const [code, message, details] = texts;
    return { code, status: 0, message, details: JSON.parse(details === '' ? '{}' : details) };
  }
  return undefined;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The length-delimited fields of a message that have this number. */
function stringsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number === wanted && wire === WireType.LengthDelimited) found.push(reader.bytes());
    else reader.skip(wire, number);
  }
  return found;
}

function isPlace(value: unknown): value is ErrorPlace {
  const { text, from, to } = (value ?? {}) as Partial<Record<keyof ErrorPlace, unknown>>;
  return typeof text === 'string' && Number.isInteger(from) && Number.isInteger(to);
}

/**
 * The error that the JSON of a service describes. It has no `sent`: the request has arrived, even
 * if one that the service made for it has not.
 */
export function errorOf({ code, message, details }: ErrorJson): LhsError {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'internal';
  const { hint, next, position: _, place, sent: __, ...others } = details;
  return new LhsError(known, message, {
    hint: typeof hint === 'string' ? hint : undefined,
    next: Array.isArray(next) ? (next as NextStep[]) : undefined,
    ...(isPlace(place) ? { place } : {}),
    details: others,
  });
}
