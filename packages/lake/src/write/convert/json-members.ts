/** A value directly inside of an array or object of a JSON text. */
export interface JsonMember {
  /** Its key as JSON writes it, with quotes; null in an array. */
  readonly key: string | null;
  readonly kind: 'object' | 'array' | 'scalar';
  /** Direct members of the value: how many are objects, and how many are something else. */
  readonly objects: number;
  readonly others: number;
  /** Its text; empty if texts are not requested. */
  readonly text: string;
}

type Frame = { readonly isObject: boolean; readonly isOnPath: boolean; key: string };
type Open = {
  key: string | null;
  kind: JsonMember['kind'];
  objects: number;
  others: number;
  from: number;
};

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [BRACE, BRACKET, BRACE_END, BRACKET_END] = [0x7b, 0x5b, 0x7d, 0x5d];
const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Finds the members of the array or object at a path of keys (null: the objects and arrays at the
 * top), without parsing their values: numbers stay as they are written, and a file of any size is
 * read in parts. Text that is not JSON is left to the reader of the members.
 */
export class JsonMembers {
  /** Values at the top of the text so far. */
  roots = 0;
  /** Whether the container at the path is an array; null before it is found. */
  isArray: boolean | null = null;
  /** Whether a member that is an object has the key "key". */
  hasKey = false;
  /** Bytes so far of a member that goes on in the next part of the text. */
  openBytes = 0;
  #missesComma = false;
  readonly #path: readonly string[];
  readonly #isTop: boolean;
  /** The containers around a member. */
  readonly #depth: number;
  readonly #hasTexts: boolean;
  readonly #stack: Frame[] = [];
  #member: Open | null = null;
  #parts: Buffer[] = [];
  #keyFrom = -1;
  #keyParts: Buffer[] = [];
  #state: 'value' | 'key' | 'string' | 'scalar' | 'after' = 'value';
  #isEscaped = false;
  #isKeyString = false;

  constructor(path: readonly string[] | null, hasTexts: boolean) {
    this.#path = path ?? [];
    this.#isTop = path === null;
    this.#depth = path === null ? 0 : path.length + 1;
    this.#hasTexts = hasTexts;
  }

  /** Whether all objects and arrays so far have ended, with a comma between any two values. */
  get isWhole(): boolean {
    return this.#stack.length === 0 && !this.#missesComma;
  }

  /** The members that end in the next part of the text. */
  push(bytes: Buffer): readonly JsonMember[] {
    const found: JsonMember[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#state === 'string') this.#inString(bytes, at, byte);
      else if (byte === QUOTE) this.#quote(at);
      else if (byte === BRACE || byte === BRACKET) this.#open(at, byte === BRACE);
      else if (byte === BRACE_END || byte === BRACKET_END) this.#close(bytes, at, found);
      else if (byte === COMMA) this.#comma(bytes, at, found);
      else if (byte === COLON) this.#state = 'value';
      else if (isBlank(byte)) this.#state = this.#state === 'scalar' ? 'after' : this.#state;
      else if (this.#state !== 'scalar') this.#begin(at, 'scalar');
    }
    this.#carry(bytes);
    return found;
  }

  #inString(bytes: Buffer, at: number, byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      if (this.#isKeyString) this.#endKey(bytes, at);
      this.#state = 'after';
    }
  }

  #quote(at: number): void {
    this.#isKeyString = this.#state === 'key';
    if (!this.#isKeyString) this.#begin(at, 'scalar');
    else if (this.#isKeyNeeded()) this.#keyFrom = at;
    this.#state = 'string';
  }

  /** Keys of the path, of the members, and those inside of members. */
  #isKeyNeeded(): boolean {
    const depth = this.#stack.length - 1;
    return this.#stack[depth].isOnPath || depth === this.#depth;
  }

  #endKey(bytes: Buffer, at: number): void {
    if (this.#keyFrom < 0) return;
    const text = Buffer.concat([...this.#keyParts, bytes.subarray(this.#keyFrom, at + 1)]);
    [this.#keyFrom, this.#keyParts] = [-1, []];
    const frame = this.#stack.at(-1) as Frame;
    frame.key = text.toString('utf8');
    if (!frame.isOnPath && frame.key === '"key"') this.hasKey = true;
  }

  /** A value begins. */
  #begin(at: number, kind: JsonMember['kind']): void {
    const depth = this.#stack.length - 1;
    if (depth < 0) this.roots++;
    if (this.#isTop && depth < 0 && kind === 'scalar') this.#missesComma = true;
    else if (this.#state === 'after' || this.#state === 'scalar') this.#missesComma = true;
    if (this.#isTarget(depth)) {
      const frame = this.#stack.at(depth);
      const key = frame?.isObject === true ? frame.key : null;
      this.#member = { key, kind, objects: 0, others: 0, from: at };
    } else if (this.#member !== null && depth === this.#depth) {
      if (kind === 'object') this.#member.objects++;
      else this.#member.others++;
    }
    this.#state = 'scalar';
  }

  #isTarget = (depth: number): boolean =>
    this.#isTop
      ? depth < 0
      : depth === this.#path.length && this.#stack[depth].isOnPath && this.roots === 1;

  #open(at: number, isObject: boolean): void {
    this.#begin(at, isObject ? 'object' : 'array');
    const depth = this.#stack.length;
    const above = this.#stack[depth - 1];
    const isNamed =
      above?.isOnPath === true &&
      depth <= this.#path.length &&
      above.key === JSON.stringify(this.#path[depth - 1]);
    const isOnPath = depth === 0 || isNamed;
    this.#stack.push({ isObject, isOnPath, key: '' });
    if (this.#isTarget(depth)) this.isArray = !isObject;
    this.#state = isObject ? 'key' : 'value';
  }

  #close(bytes: Buffer, at: number, found: JsonMember[]): void {
    this.#endMember(bytes, at, found);
    this.#stack.pop();
    if (this.#isTop) this.#endMember(bytes, at + 1, found);
    this.#state = this.#stack.length === 0 ? 'value' : 'after';
  }

  #comma(bytes: Buffer, at: number, found: JsonMember[]): void {
    this.#endMember(bytes, at, found);
    this.#state = this.#stack.at(-1)?.isObject === true ? 'key' : 'value';
  }

  #endMember(bytes: Buffer, end: number, found: JsonMember[]): void {
    if (this.#member === null || !this.#isTarget(this.#stack.length - 1)) return;
    const { from, ...member } = this.#member;
    const text = this.#hasTexts
      ? Buffer.concat([...this.#parts, bytes.subarray(Math.max(0, from), end)]).toString('utf8')
      : '';
    found.push({ ...member, text: text.trim() });
    [this.#member, this.#parts, this.openBytes] = [null, [], 0];
  }

  /** Keeps what goes on in the next part. */
  #carry(bytes: Buffer): void {
    if (this.#keyFrom >= 0) {
      this.#keyParts.push(Buffer.from(bytes.subarray(this.#keyFrom)));
      this.#keyFrom = 0;
    }
    if (this.#member === null) return;
    const part = bytes.subarray(Math.max(0, this.#member.from));
    this.openBytes += part.length;
    if (this.#hasTexts) this.#parts.push(Buffer.from(part));
    this.#member.from = 0;
  }
}
