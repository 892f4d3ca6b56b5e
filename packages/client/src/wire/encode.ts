import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { textOfJson } from '@lakehouse-search/contract/internal';
import { type FieldPlan, fieldsOf, hidesPresence, PRESENT_FIELDS } from './field-plan.ts';

type Value = Readonly<Record<string, unknown>>;

/** Between messages: its buffer has grown to what messages take. null: it is in use. */
let idle: BinaryWriter | null = new BinaryWriter();
/** A writer that a larger message has grown is dropped. */
const MOST_IDLE_BYTES = 2 ** 20;

/** The bytes of a value of the contract as a message. The value has been checked. */
export function encodeMessage(message: DescMessage, value: unknown): Uint8Array {
  const writer = idle ?? new BinaryWriter();
  // A value may have getters that encode, and one that throws leaves half a message behind.
  idle = null;
  writeFields(writer, message, value as Value);
  const bytes = writer.finish();
  idle = bytes.length > MOST_IDLE_BYTES ? null : writer;
  return bytes;
}

function writeFields(writer: BinaryWriter, message: DescMessage, value: Value): void {
  let present: string[] | undefined;
  for (const field of fieldsOf(message)) {
    const part = value[field.name];
    if (part === undefined) continue;
    if (hidesPresence(field) && isHidden(part)) (present ??= []).push(field.name);
    else if (part !== null || isJson(field)) writeField(writer, field, part);
  }
  if (present === undefined) return;
  const { number } = message.field[presentKey(message)];
  for (const name of present) writer.tag(number, WireType.LengthDelimited).string(name);
}

const presentKey = (message: DescMessage): string =>
  message.fields.find(({ name }) => name === PRESENT_FIELDS)!.localName;

const isJson = ({ kind }: FieldPlan): boolean => kind === 'json' || kind === 'text_json';

function isHidden(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function writeField(writer: BinaryWriter, field: FieldPlan, value: unknown): void {
  const { kind } = field;
  if (kind === 'map') writeMap(writer, field, value as Value);
  else if (!field.repeated) writeOne(writer, field, value);
  else if (kind === 'double' || kind === 'int64') writePacked(writer, field, value as number[]);
  else for (const item of value as readonly unknown[]) writeOne(writer, field, item);
}

function writeOne(writer: BinaryWriter, field: FieldPlan, value: unknown): void {
  const { number, kind } = field;
  if (kind === 'bool') writer.tag(number, WireType.Varint).bool(value as boolean);
  else if (kind === 'int64') writer.tag(number, WireType.Varint).int64(value as number);
  else if (kind === 'double') writer.tag(number, WireType.Bit64).double(value as number);
  else if (kind === 'message') {
    writer.tag(number, WireType.LengthDelimited).fork();
    writeFields(writer, field.message!, value as Value);
    writer.join();
  } else writer.tag(number, WireType.LengthDelimited).string(textOf(kind, value));
}

/** A string in its own field that begins like an object gets a blank, which means nothing. */
function textOf(kind: FieldPlan['kind'], value: unknown): string {
  if (kind === 'json') return textOfJson(value);
  if (kind !== 'text_json') return value as string;
  if (typeof value !== 'string') return textOfJson(value);
  return value.startsWith('{') ? ` ${value}` : value;
}

function writePacked(writer: BinaryWriter, field: FieldPlan, list: readonly number[]): void {
  if (list.length === 0) return;
  writer.tag(field.number, WireType.LengthDelimited).fork();
  for (const item of list) {
    if (field.kind === 'double') writer.double(item);
    else writer.int64(item);
  }
  writer.join();
}

function writeMap(writer: BinaryWriter, { number, mapValue }: FieldPlan, map: Value): void {
  for (const [key, value] of Object.entries(map)) {
    writer.tag(number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    if (mapValue === 'int64') writer.tag(2, WireType.Varint).int64(value as number);
    else writer.tag(2, WireType.LengthDelimited).string(value as string);
    writer.join();
  }
}
