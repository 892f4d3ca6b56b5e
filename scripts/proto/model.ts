/** How a value of a field travels. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly proto: 'string' | 'bool' | 'int64' | 'double' }
  | { readonly kind: 'message'; readonly name: string }
  | { readonly kind: 'map'; readonly value: 'int64' | 'string' }
  /** JSON text; with `text`, a string is itself and an object is JSON. */
  | { readonly kind: 'json'; readonly text: boolean };

/** A field of a message. */
export interface FieldModel {
  readonly name: string;
  readonly doc: string;
  readonly type: FieldType;
  readonly repeated: boolean;
  readonly required: boolean;
  readonly nullable: boolean;
  /** The strings that it may hold; empty: any. */
  readonly values: readonly string[];
}

/** A message, and the file that it belongs to. */
export interface MessageModel {
  readonly name: string;
  readonly doc: string;
  readonly file: string;
  readonly fields: readonly FieldModel[];
}

/** A method of a service. */
export interface MethodModel {
  readonly service: string;
  readonly name: string;
  readonly doc: string;
  readonly input: string;
  readonly output: string;
  readonly stream: 'responses' | 'requests' | undefined;
  readonly http: readonly string[];
}

/** All messages and methods of the wire contract. */
export interface WireModel {
  readonly messages: readonly MessageModel[];
  /** Names of messages that requests are made of. */
  readonly requests: ReadonlySet<string>;
  readonly methods: readonly MethodModel[];
}

/** Messages that a message has as fields. */
export const messagesOf = (message: MessageModel): string[] =>
  message.fields.flatMap(({ type }) => (type.kind === 'message' ? [type.name] : []));
