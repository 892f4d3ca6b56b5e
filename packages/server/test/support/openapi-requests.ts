/** Requests from the description of REST: its examples, mutated, and values of its schemas. */
import { seededBelow } from '../../../../test/support/random.ts';

/** A JSON schema of the description. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

/** One operation of the description. */
export interface Described {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** What `GET /v1/openapi.json` returns, as far as it is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A request, and the operation whose responses it may get; null: it is none of them. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly operation: Described | null;
}

interface Place {
  readonly path: string;
  readonly verb: string;
  readonly operation: Described;
}

const STRINGS = [
  ...['', 'tickets', 'title', 'status:open', 'timeout', '*:*', 'none', 'now', '1', '-1', '5m'],
  ...[
    '\u0000',
    '\ud800',
    'İ\u202e',
    'a'.repeat(2000),
    '(((((',
    '/(a+)+$/',
    '../../etc',
    '%00',
    '"',
  ],
  ...['a AND', 'size:[1 TO', 'x~9', '{"a":1}', 'title:/(x{99}){99}/', '2026-01-01', '__proto__'],
];
const NUMBERS = [0, 1, 2, 10, -1, 0.5, 1e3, 10_001, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308];
const ODD: readonly unknown[] = [null, true, [], {}, [[]], { a: { b: {} } }, 'x', 7, [null], ''];
/** Operations that take long or end the others' index: their turn comes less often. */
const OTHERS = /^\/(mcp|v1\/stats)\b/;
const RARE =
  /reindex|verify|backup|restore|erasure|jobs|alter|rehearse|rollback|compact|follow|init/i;
const RENAMES = /:rename$/;
const VERBS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'];
const PATHS = [
  '/',
  '/v1',
  '/v1/nothing',
  '/v1/indexes/%2e%2e',
  '/v1/jobs/%00',
  '/v1//search',
  '/%',
];

/** Requests from a seed, the same ones every time. */
export class OpenApiRequests {
  readonly #below: (below: number) => number;
  readonly #document: OpenApi;
  readonly #places: readonly Place[];

  constructor(document: OpenApi, seed: number) {
    this.#below = seededBelow(seed);
    this.#document = document;
    // these speak protocols of their own
    const paths = Object.entries(document.paths).filter(([path]) => !OTHERS.test(path));
    this.#places = paths.flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => {
        return { path, verb: verb.toUpperCase(), operation };
      }),
    );
  }

  next(): FuzzRequest {
    if (this.#below(40) === 0) return this.#elsewhere();
    let place = this.#of(this.#places);
    while (RARE.test(place.path) && this.#below(6) > 0) place = this.#of(this.#places);
    return this.#at(place);
  }

  #of<T>(values: readonly T[]): T {
    return values[this.#below(values.length)];
  }

  /** A path or a method that does not exist. */
  #elsewhere(): FuzzRequest {
    const { path } = this.#of(this.#places);
    const isKnown = this.#below(2) === 1;
    const target = isKnown ? path.replaceAll(/\{\w+\}/g, 'x') : this.#of(PATHS);
    const method = this.#of(VERBS);
    const verbs = isKnown ? this.#document.paths[path] : undefined;
    const operation = verbs?.[method.toLowerCase()] ?? null;
    return { method, target, headers: LIMIT, body: undefined, operation };
  }

  #at({ path, verb, operation }: Place): FuzzRequest {
    const query = new URLSearchParams();
    let target = path;
    for (const { name, in: where, schema } of operation.parameters) {
      if (where === 'path') {
        target = target.replace(`{${name}}`, encodeURIComponent(this.#pathValue(name, verb)));
      } else if (where === 'query' && this.#below(3) === 0) {
        query.append(name, String(this.#value(schema, 2)));
      }
    }
    if (this.#below(30) === 0) query.append(this.#of(STRINGS.slice(1, 5)), 'x');
    const text = query.size === 0 ? '' : `?${query}`;
    const content = operation.requestBody?.content['application/json'];
    const random = content === undefined ? undefined : this.#body(content);
    // The index of the other requests keeps its name.
    const body = RENAMES.test(path) ? random?.replaceAll('"tickets"', '"x"') : random;
    const headers = { ...LIMIT, ...(body === undefined ? {} : this.#type()) };
    return { method: verb, target: `${target}${text}`, headers, body, operation };
  }

  /** The index of the other requests is not dropped. */
  #pathValue(name: string, verb: string): string {
    if (verb !== 'DELETE' && this.#below(2) === 0) return 'tickets';
    const value = this.#of(STRINGS.filter((text) => text !== '' && text !== '\ud800'));
    return name === 'index' && value === 'tickets' ? 'x' : value;
  }

  #type(): Record<string, string> {
    const odd = this.#below(60);
    if (odd === 0) return { 'content-type': 'text/plain' };
    if (odd === 1) return { ...JSON_TYPE, 'content-encoding': 'gzip' };
    return JSON_TYPE;
  }

  #body({ schema, example }: Content[string]): string {
    const kind = this.#below(20);
    if (kind === 0)
      return this.#of(['{', 'null', '[]', '"x"', '7', '', '{"a":1}}', '{"__proto__":1}']);
    if (kind < 8) return JSON.stringify(this.#value(schema, 4) ?? null);
    return JSON.stringify(this.#mutated(example ?? {}, schema, 1 + this.#below(3)));
  }

  /** The example with some fields changed, added or left out. */
  #mutated(example: unknown, schema: Schema, changes: number): unknown {
    const value = structuredClone(example) as Record<string, unknown>;
    const { properties = {} } = this.#resolved(schema);
    const names = Object.keys(properties);
    for (let i = 0; i < changes && names.length > 0; i++) {
      const name = this.#of(names);
      const change = this.#below(12);
      if (change === 0) delete value[name];
      else if (change === 1) value[name] = this.#of(ODD);
      else if (change === 2) value[this.#of(STRINGS)] = 1;
      else value[name] = this.#value(properties[name], 3);
    }
    return value;
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.#document.components.schemas[schema.$ref.split('/').at(-1) as string];
  }

  /** A value of a schema; sometimes none of it. */
  #value(schema: Schema, depth: number): unknown {
    if (this.#below(25) === 0) return this.#of(ODD);
    const { type, enum: values, items, properties, required = [], anyOf } = this.#resolved(schema);
    if (values !== undefined) return this.#of(values);
    if (anyOf !== undefined) return this.#value(this.#of(anyOf), depth);
    const kind = typeof type === 'string' || type === undefined ? type : this.#of(type);
    if (kind === 'string') return this.#of(STRINGS);
    if (kind === 'boolean') return this.#below(2) === 0;
    if (kind === 'integer' || kind === 'number') return this.#of(NUMBERS);
    if (kind === 'null') return null;
    if (kind === 'array' && items !== undefined) {
      const length = depth === 0 ? 0 : this.#below(4);
      return Array.from({ length }, () => this.#value(items, depth - 1));
    }
    if (kind === 'object' && properties !== undefined && depth > 0) {
      const names = Object.keys(properties).filter(
        (name) => required.includes(name) || this.#below(4) === 0,
      );
      return Object.fromEntries(
        names.map((name) => [name, this.#value(properties[name], depth - 1)]),
      );
    }
    return this.#of(ODD);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
/** Calls that wait end soon. */
const LIMIT = { 'lhs-timeout-ms': '400' };
