import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { DOCS } from '../generated/docs.ts';
import { json, nullable, required, text_or_json, values } from '../generated/lhs/v1/options_pb.ts';

/** How a field of a message appears in JSON and on the wire, as its descriptor says. */
export interface FieldPlan {
  readonly name: string;
  readonly number: number;
  readonly kind: 'string' | 'bool' | 'int64' | 'double' | 'message' | 'map' | 'json' | 'text_json';
  readonly repeated: boolean;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Of a message field. */
  readonly message: DescMessage | undefined;
  /** Of a map: the kind of its values. */
  readonly mapValue: 'string' | 'int64' | undefined;
  /** The strings that it may hold; empty: each string. */
  readonly values: readonly string[];
}

/** The field that names empty lists and nulls; it is no field of the JSON. */
export const PRESENT_FIELDS = 'present_fields';

const plans = new WeakMap<DescMessage, readonly FieldPlan[]>();

/** The fields of a message that its JSON has. */
export function fieldsOf(message: DescMessage): readonly FieldPlan[] {
  let found = plans.get(message);
  if (found === undefined) {
    found = message.fields.filter(({ name }) => name !== PRESENT_FIELDS).map(planOf);
    plans.set(message, found);
  }
  return found;
}

function planOf(field: DescField): FieldPlan {
  return {
    name: field.name,
    number: field.number,
    kind: kindOf(field),
    repeated: field.fieldKind === 'list',
    required: getOption(field, required),
    nullable: getOption(field, nullable),
    message: field.message,
    mapValue: field.fieldKind === 'map' ? scalarKind(field.scalar!) : undefined,
    values: getOption(field, values),
  };
}

function kindOf(field: DescField): FieldPlan['kind'] {
  if (field.fieldKind === 'map') return 'map';
  if (field.message !== undefined) return 'message';
  if (getOption(field, json)) return 'json';
  if (getOption(field, text_or_json)) return 'text_json';
  if (field.scalar === ScalarType.BOOL) return 'bool';
  return field.scalar === ScalarType.DOUBLE ? 'double' : scalarKind(field.scalar!);
}

const scalarKind = (scalar: ScalarType): 'string' | 'int64' =>
  scalar === ScalarType.INT64 ? 'int64' : 'string';

/** Whether the wire cannot tell an absent value from an empty list or from null. */
export const hidesPresence = ({ repeated, required, nullable, kind }: FieldPlan): boolean =>
  !required && (repeated || nullable || kind === 'map');

/**
 * The comment of a message (`Message`), a field (`Message.field`) or a method (`Service/Method`);
 * undefined if it has none.
 */
export const docOf = (name: string): string | undefined =>
  Object.hasOwn(DOCS, name) ? DOCS[name] : undefined;
