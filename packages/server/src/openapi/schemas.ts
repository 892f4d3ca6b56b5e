import {
  docOf,
  type FieldPlan,
  fieldsOf,
  type WireMethod,
} from '@lakehouse-search/client/internal';

/** A JSON schema. */
export type Schema = { readonly [key: string]: unknown };

type Message = WireMethod['input'];

/** The schemas of messages, each once; they are added when something refers to them. */
export class Schemas {
  readonly all: Record<string, Schema> = {};

  /** A reference to the schema of a message. */
  reference(message: Message, isRequest: boolean): Schema {
    if (!Object.hasOwn(this.all, message.name)) {
      // The name is taken before the fields are read: a message may contain itself.
      this.all[message.name] = {};
      this.all[message.name] = this.object(message, isRequest);
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  /** The schema of a message without some fields, which are optional or elsewhere. */
  object(message: Message, isRequest: boolean, without: ReadonlySet<string> = new Set()): Schema {
    const fields = fieldsOf(message).filter(({ name }) => !without.has(name));
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    const description = docOf(message.name);
    return {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: Object.fromEntries(
        fields.map((field) => [field.name, this.field(message, field, isRequest)]),
      ),
      ...(required.length === 0 ? {} : { required }),
      ...(isRequest ? { additionalProperties: false } : {}),
    };
  }

  /** The schema of a field. */
  field(message: Message, field: FieldPlan, isRequest: boolean): Schema {
    const one = this.#one(field, isRequest);
    const value = field.repeated ? { type: 'array', items: one } : one;
    const description = docOf(`${message.name}.${field.name}`);
    const described = description === undefined ? value : { ...value, description };
    if (!field.nullable) return described;
    return typeof described.type === 'string'
      ? { ...described, type: [described.type, 'null'] }
      : { anyOf: [described, { type: 'null' }] };
  }

  #one(field: FieldPlan, isRequest: boolean): Schema {
    const { kind, values, mapValue } = field;
    if (kind === 'message') return this.reference(field.message!, isRequest);
    if (kind === 'json') return {};
    if (kind === 'text_json') return { type: ['string', 'object'] };
    if (kind === 'map') {
      const type = mapValue === 'int64' ? 'integer' : 'string';
      return { type: 'object', additionalProperties: { type } };
    }
    if (kind === 'string')
      return values.length === 0 ? { type: kind } : { type: kind, enum: values };
    return { type: { bool: 'boolean', int64: 'integer', double: 'number' }[kind] };
  }
}
