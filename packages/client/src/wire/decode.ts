import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { LhsError } from '@lakehouse-search/contract';
import { jsonValue, utf8Text } from '@lakehouse-search/contract/internal';
import { type FieldPlan, fieldsOf, PRESENT_FIELDS } from './field-plan.ts';

type Value = Record<string, unknown>;

/**
 * `request`: unknown fields are refused, and absent scalars stay absent, so that the check of the
 * request names them. `response`: unknown fields of a newer service are skipped.
 */
export type Direction = 'request' | 'response';

/** Nested messages, at most. */
const MOST_DEPTH = 64;

interface Plan {
  readonly name: string;
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
  readonly required: readonly FieldPlan[];
  readonly presentNumber: number | undefined;
}

const plans = new WeakMap<DescMessage, Plan>();

function planOf(message: DescMessage): Plan {
  let plan = plans.get(message);
  if (plan === undefined) {
    const fields = fieldsOf(message);
    plan = {
      name: message.name,
      byNumber: new Map(fields.map((field) => [field.number, field])),
      required: fields.filter(({ required }) => required),
      presentNumber: message.fields.find(({ name }) => name === PRESENT_FIELDS)?.number,
    };
    plans.set(message, plan);
  }
  return plan;
}

/** The value of the contract that a message holds. Throws invalid_argument for damaged bytes. */
export function decodeMessage(
  message: DescMessage,
  bytes: Uint8Array,
  direction: Direction,
): Value {
  try {
    return new Decoder(bytes, direction).fields(planOf(message), bytes.length, 0);
  } catch (error) {
    if (error instanceof LhsError) throw error;
    throw new LhsError('invalid_argument', `the bytes are no message ${message.name}`, {
      cause: error,
    });
  }
}

const textOf = (bytes: Uint8Array): string => utf8Text(bytes, 'a text of the message');

class Decoder {
  readonly #reader: BinaryReader;
  readonly #direction: Direction;

  constructor(bytes: Uint8Array, direction: Direction) {
    this.#reader = new BinaryReader(bytes, textOf);
    this.#direction = direction;
  }

  fields(plan: Plan, end: number, depth: number): Value {
    if (depth > MOST_DEPTH) throw new LhsError('limit_exceeded', 'the message is nested too deep');
    const reader = this.#reader;
    const value: Value = {};
    let present: string[] | undefined;
    while (reader.pos < end) {
      const [number, wire] = reader.tag();
      const field = plan.byNumber.get(number);
      if (field !== undefined) this.#field(value, field, wire, depth);
      else if (number === plan.presentNumber) (present ??= []).push(reader.string());
      else this.#skip(plan, number, wire);
    }
    if (present !== undefined) this.#reveal(plan, value, present);
    this.#complete(plan, value);
    return value;
  }

  #skip(plan: Plan, number: number, wire: WireType): void {
    if (this.#direction === 'request') {
      const message = `unknown field ${number} of the message ${plan.name}`;
      throw new LhsError('invalid_argument', message);
    }
    this.#reader.skip(wire, number);
  }

  /** Puts empty lists and nulls where the sender had them. */
  #reveal(plan: Plan, value: Value, present: readonly string[]): void {
    const names = new Set(present);
    for (const { name, nullable, repeated } of plan.byNumber.values()) {
      if (names.delete(name)) value[name] ??= repeated ? [] : nullable ? null : {};
    }
    const [other] = names;
    if (other === undefined || this.#direction === 'response') return;
    throw new LhsError('invalid_argument', `unknown request field "${other.slice(0, 60)}"`);
  }

  #complete(plan: Plan, value: Value): void {
    for (const field of plan.required) {
      if (value[field.name] !== undefined) continue;
      const blank = blankOf(field, this.#direction);
      if (blank !== undefined) value[field.name] = blank;
    }
  }

  #field(value: Value, field: FieldPlan, wire: WireType, depth: number): void {
    const { name, kind } = field;
    if (kind === 'map') this.#entry((value[name] ??= {}) as Value, field);
    else if (field.repeated) this.#item((value[name] ??= []) as unknown[], field, wire, depth);
    else value[name] = this.#one(field, depth);
  }

  /** An item of a list, or a run of packed numbers. */
  #item(list: unknown[], field: FieldPlan, wire: WireType, depth: number): void {
    const { kind } = field;
    const packs = kind === 'double' || kind === 'int64' || kind === 'bool';
    if (!packs || wire !== WireType.LengthDelimited) {
      list.push(this.#one(field, depth));
      return;
    }
    const end = this.#end();
    while (this.#reader.pos < end) list.push(this.#one(field, depth));
  }

  #end(): number {
    const length = this.#reader.uint32();
    const end = this.#reader.pos + length;
    if (end > this.#reader.len) throw new RangeError('the message is cut');
    return end;
  }

  #one(field: FieldPlan, depth: number): unknown {
    const { kind } = field;
    if (kind === 'string') return this.#reader.string();
    if (kind === 'int64') return Number(this.#reader.int64());
    if (kind === 'double') return this.#reader.double();
    if (kind === 'bool') return this.#reader.bool();
    if (kind === 'message') return this.fields(planOf(field.message!), this.#end(), depth + 1);
    return jsonOf(field, this.#reader.string());
  }

  #entry(map: Value, { mapValue }: FieldPlan): void {
    const end = this.#end();
    let key = '';
    let value: unknown = mapValue === 'int64' ? 0 : '';
    while (this.#reader.pos < end) {
      const [number, wire] = this.#reader.tag();
      if (number === 1) key = this.#reader.string();
      else if (number !== 2) this.#reader.skip(wire, number);
      else value = mapValue === 'int64' ? Number(this.#reader.int64()) : this.#reader.string();
    }
    // An assignment to __proto__ would not make a property.
    Object.defineProperty(map, key, { value, enumerable: true, writable: true });
  }
}

function jsonOf({ kind, name }: FieldPlan, text: string): unknown {
  if (kind === 'text_json' && !text.startsWith('{')) return text;
  try {
    return jsonValue(text, `"${name}"`);
  } catch (error) {
    if (kind === 'text_json') return text;
    throw error;
  }
}

/** What an absent field of a required kind means. */
function blankOf({ kind, repeated, nullable }: FieldPlan, direction: Direction): unknown {
  if (repeated) return [];
  if (kind === 'map') return {};
  if (nullable) return null;
  if (direction === 'request') return undefined;
  if (kind === 'string' || kind === 'text_json') return '';
  if (kind === 'bool') return false;
  if (kind === 'json') return null;
  return kind === 'message' ? {} : 0;
}
