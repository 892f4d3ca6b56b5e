import { LakeError, type LakeErrorCode } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** A value in a JSON document with its file and its path, so that every error names both. */
export class JsonNode {
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly file: string;
  readonly code: LakeErrorCode;

  constructor(
    value: JsonValue | undefined,
    path: string,
    file: string,
    code: LakeErrorCode = 'metadata_invalid',
  ) {
    this.value = value;
    this.path = path;
    this.file = file;
    this.code = code;
  }

  /** Throws this node's error: `<what> in <file>`. */
  fail(what: string, code: LakeErrorCode = this.code): never {
    throw new LakeError(code, `${what} (at "${this.path}" in "${this.file}")`, {
      file: this.file,
      details: { path: this.path },
    });
  }

  /** The node under `key`; its value is undefined if the key is absent or null. */
  get(key: string): JsonNode {
    const value = this.object()[key];
    const path = this.path === '' ? key : `${this.path}.${key}`;
    return new JsonNode(value === null ? undefined : value, path, this.file, this.code);
  }

  /** Whether there is a value (null counts as none). */
  get present(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** `read(this)` if there is a value, else null. */
  optional<T>(read: (node: JsonNode) => T): T | null {
    return this.present ? read(this) : null;
  }

  private expected(what: string): never {
    const seen = this.value === undefined ? 'nothing' : describe(this.value);
    return this.fail(
      `${this.path === '' ? 'the document' : `"${this.path}"`} is ${seen}, expected ${what}`,
    );
  }

  object(): JsonObject {
    return isJsonObject(this.value) ? this.value : this.expected('an object');
  }

  /** The members of an object. */
  entries(): readonly (readonly [string, JsonNode])[] {
    return Object.keys(this.object()).map((key) => [key, this.get(key)] as const);
  }

  /** The elements of an array. */
  items(): readonly JsonNode[] {
    const value = this.value;
    if (!Array.isArray(value)) return this.expected('an array');
    return value.map((item, i) => new JsonNode(item, `${this.path}[${i}]`, this.file, this.code));
  }

  string(): string {
    return typeof this.value === 'string' ? this.value : this.expected('a string');
  }

  boolean(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.expected('a boolean');
  }

  /** A finite number, also one too large to be exact. */
  number(): number {
    const value = this.value;
    return typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : this.expected('a number');
  }

  /** A 32-bit signed integer. */
  int(): number {
    const value = this.value;
    if (typeof value === 'number' && (value | 0) === value) return value;
    return this.expected('a 32-bit integer');
  }

  /** A 64-bit signed integer, exactly. */
  long(): bigint {
    const value = this.value;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    if (typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX) return value;
    return this.expected('a 64-bit integer');
  }

  /** An integer that a double holds exactly (milliseconds, counts). */
  safeInteger(): number {
    const value = this.value;
    return typeof value === 'number' && Number.isSafeInteger(value)
      ? value
      : this.expected('an integer');
  }

  /** An object whose values are all strings. */
  stringMap(): Readonly<Record<string, string>> {
    const map: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const [key, node] of this.entries()) map[key] = node.string();
    return Object.freeze({ ...map });
  }
}

function describe(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
