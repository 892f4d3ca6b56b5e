/**
 * A small language for kernels that are too long to read as WebAssembly text. `compile` turns
 * functions like
 *
 *   export fn sum(i32 at, i32 n) -> i32 {
 *     i32 i = 0; i32 s = 0;
 *     while (i < n) { s += i32[at + (i << 2)]; i += 1; }
 *     return s;
 *   }
 *
 * into text. Types are i32, i64, f64 and v128; nothing is converted by itself. Memory is `i32[at]`,
 * `u8[at]`, `u16[at]`, `i64[at]`, `f64[at]`, `v128[at]`. `<`, `<=`, `>` and `>=` are signed, `>>`,
 * `/` and `%` unsigned. `&&` and `||` are 0 or 1. An instruction is called by its name, with
 * immediate operands in angle brackets: `i32x4.extract_lane<3>(v)`. `select(test, then, other)` and
 * `trap()` are known. Operators bind as in C. Variables belong to the whole function.
 */
type Type = 'i32' | 'i64' | 'f64' | 'v128' | '';
interface Typed {
  readonly text: string;
  readonly type: Type;
  /** Value of a constant, address and constant of a sum: they become offsets. */
  readonly constant?: number;
  readonly sum?: readonly [base: string, constant: number];
}
interface Signature {
  readonly params: readonly Type[];
  readonly result: Type;
}
/** Functions that may be called, by name. */
export type Signatures = Readonly<Record<string, Signature>>;

const TOKEN =
  /\s+|\/\/[^\n]*|(0x[0-9a-f]+|\d+\.\d+(?:e-?\d+)?|\d+e-?\d+|\d+L?)|([a-zA-Z_][\w]*(?:\.[\w]+)?)|(->|<<=|>>=|<<|>>|&&|\|\||[=!<>+\-*&|^]=|[-+*/%&|^!~<>=(){}[\];,])/y;
const LEVELS: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '<': 7,
  '<=': 7,
  '>': 7,
  '>=': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
};
const INTEGER: Readonly<Record<string, string>> = {
  '|': 'or',
  '^': 'xor',
  '&': 'and',
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt_s',
  '<=': 'le_s',
  '>': 'gt_s',
  '>=': 'ge_s',
  '<<': 'shl',
  '>>': 'shr_u',
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div_u',
  '%': 'rem_u',
};
const FLOAT: Readonly<Record<string, string>> = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
};
const LOADS: Readonly<Record<string, readonly [load: string, store: string, type: Type]>> = {
  i32: ['i32.load', 'i32.store', 'i32'],
  u8: ['i32.load8_u', 'i32.store8', 'i32'],
  u16: ['i32.load16_u', 'i32.store16', 'i32'],
  i64: ['i64.load', 'i64.store', 'i64'],
  f64: ['f64.load', 'f64.store', 'f64'],
  v128: ['v128.load', 'v128.store', 'v128'],
};
const COMPARES = new Set(['==', '!=', '<', '<=', '>', '>=']);
const isType = (word: string): word is Type => /^(i32|i64|f64|v128)$/.test(word);

/** WebAssembly text of functions; `known` are functions beside them. */
export function compile(source: string, known: Signatures = {}): string {
  const tokens = tokensOf(source);
  const signatures: Record<string, Signature> = { ...known };
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] !== 'fn') continue;
    const params: Type[] = [];
    let at = i + 3;
    for (; tokens[at] !== ')'; at++) if (isType(tokens[at])) params.push(tokens[at] as Type);
    const result = tokens[at + 1] === '->' ? (tokens[at + 2] as Type) : '';
    signatures[tokens[i + 1]] = { params, result };
  }
  const parser = new Parser(tokens, signatures);
  let text = '';
  while (parser.more) text += `${parser.func()}\n`;
  return text;
}

function tokensOf(source: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new Error(`no token: ${source.slice(at, at + 40)}`);
    const token = match[1] ?? match[2] ?? match[3];
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #signatures: Signatures;
  #at = 0;
  #locals = new Map<string, Type>();
  #params = 0;
  #result: Type = '';
  #loops: number[] = [];
  #labels = 0;
  #name = '';

  constructor(tokens: readonly string[], signatures: Signatures) {
    this.#tokens = tokens;
    this.#signatures = signatures;
  }

  get more(): boolean {
    return this.#at < this.#tokens.length;
  }

  get #next(): string {
    return this.#tokens[this.#at];
  }

  #fail(what: string): never {
    const near = this.#tokens.slice(Math.max(0, this.#at - 8), this.#at + 4).join(' ');
    throw new Error(`${this.#name}: ${what}, near "${near}"`);
  }

  #take(token?: string): string {
    const found = this.#tokens[this.#at++];
    if (token !== undefined && found !== token) this.#fail(`expected "${token}"`);
    return found;
  }

  #skip(token: string): boolean {
    if (this.#next !== token) return false;
    this.#at++;
    return true;
  }

  func(): string {
    const exported = this.#skip('export');
    this.#take('fn');
    this.#name = this.#take();
    this.#locals = new Map();
    this.#take('(');
    while (!this.#skip(')')) {
      const type = this.#take() as Type;
      this.#locals.set(this.#take(), type);
      this.#skip(',');
    }
    this.#params = this.#locals.size;
    this.#result = this.#skip('->') ? (this.#take() as Type) : '';
    const body = this.#block();
    const all = [...this.#locals].map(([name, type], i) =>
      i < this.#params ? `(param $${name} ${type})` : `(local $${name} ${type})`,
    );
    const params = all.slice(0, this.#params).join(' ');
    const locals = all.slice(this.#params).join(' ');
    const result = this.#result === '' ? '' : `(result ${this.#result})`;
    const name = `$${this.#name} ${exported ? `(export "${this.#name}")` : ''}`;
    const end = this.#result === '' ? '' : '(unreachable)';
    return `(func ${name} ${params} ${result} ${locals}\n${body}${end})`;
  }

  #block(): string {
    this.#take('{');
    let text = '';
    while (!this.#skip('}')) text += `${this.#statement()}\n`;
    return text;
  }

  #statement(): string {
    const word = this.#next;
    if (isType(word) && this.#tokens[this.#at + 1] !== '[') return this.#declaration();
    if (this.#skip('if')) return this.#condition();
    if (this.#skip('while')) return this.#loop();
    if (this.#skip('break')) return this.#jump('end');
    if (this.#skip('continue')) return this.#jump('go');
    if (this.#skip('return')) {
      const value = this.#next === ';' ? '' : this.#typed(this.#result).text;
      this.#take(';');
      return `(return ${value})`;
    }
    return this.#assignment();
  }

  #declaration(): string {
    const type = this.#take() as Type;
    let text = '';
    do {
      const name = this.#take();
      if (this.#locals.has(name)) this.#fail(`"${name}" is declared twice`);
      this.#locals.set(name, type);
      if (this.#skip('=')) text += `(local.set $${name} ${this.#typed(type).text})`;
    } while (this.#skip(','));
    this.#take(';');
    return text;
  }

  #condition(): string {
    this.#take('(');
    const test = this.#typed('i32').text;
    this.#take(')');
    const then = this.#block();
    if (!this.#skip('else')) return `(if ${test} (then ${then}))`;
    const other = this.#skip('if') ? this.#condition() : this.#block();
    return `(if ${test} (then ${then}) (else ${other}))`;
  }

  #loop(): string {
    const label = this.#labels++;
    this.#take('(');
    const test = this.#typed('i32');
    this.#take(')');
    this.#loops.push(label);
    const body = this.#block();
    this.#loops.pop();
    const leave = test.constant === 1 ? '' : `(br_if $end${label} (i32.eqz ${test.text}))`;
    return `(block $end${label} (loop $go${label} ${leave} ${body} (br $go${label})))`;
  }

  #jump(where: 'end' | 'go'): string {
    this.#take(';');
    const label = this.#loops.at(-1) ?? this.#fail('not in a loop');
    return `(br $${where}${label})`;
  }

  #assignment(): string {
    const word = this.#next;
    const after = this.#tokens[this.#at + 1];
    if (LOADS[word] !== undefined && after === '[') return this.#store();
    if (this.#locals.has(word)) {
      this.#take();
      const type = this.#locals.get(word)!;
      const sign = this.#take();
      const right = this.#typed(type);
      this.#take(';');
      const left = { text: `(local.get $${word})`, type };
      const value = sign === '=' ? right : this.#binary(sign.slice(0, -1), left, right);
      return `(local.set $${word} ${value.text})`;
    }
    const value = this.#primary();
    this.#take(';');
    return value.type === '' ? value.text : `(drop ${value.text})`;
  }

  #store(): string {
    const [load, store, type] = LOADS[this.#take()];
    const address = this.#address();
    const sign = this.#take();
    const right = this.#typed(type);
    this.#take(';');
    const left = { text: `(${load} ${address})`, type };
    const value = sign === '=' ? right : this.#binary(sign.slice(0, -1), left, right);
    return `(${store} ${address} ${value.text})`;
  }

  #address(): string {
    this.#take('[');
    const at = this.#typed('i32');
    this.#take(']');
    if (at.constant !== undefined && at.constant >= 0) {
      return `offset=${at.constant} (i32.const 0)`;
    }
    if (at.sum !== undefined && at.sum[1] >= 0) return `offset=${at.sum[1]} ${at.sum[0]}`;
    return at.text;
  }

  #typed(type: Type): Typed {
    const value = this.#expression(1);
    if (value.type !== type) this.#fail(`expected ${type}, not ${value.type || 'nothing'}`);
    return value;
  }

  #expression(level: number): Typed {
    let left = this.#unary();
    while ((LEVELS[this.#next] ?? 0) >= level) {
      const sign = this.#take();
      left = this.#binary(sign, left, this.#expression(LEVELS[sign] + 1));
    }
    return left;
  }

  #binary(sign: string, left: Typed, right: Typed): Typed {
    const { type } = left;
    if (type !== right.type) this.#fail(`${type} ${sign} ${right.type}`);
    if (sign === '&&' || sign === '||') {
      const bool = `(i32.ne ${right.text} (i32.const 0))`;
      const [then, other] = sign === '&&' ? [bool, '(i32.const 0)'] : ['(i32.const 1)', bool];
      return {
        text: `(if (result i32) ${left.text} (then ${then}) (else ${other}))`,
        type: 'i32',
      };
    }
    const op = (type === 'f64' ? FLOAT : INTEGER)[sign] ?? this.#fail(`no ${sign} of ${type}`);
    if (type === 'v128') this.#fail(`no ${sign} of v128`);
    const result = COMPARES.has(sign) ? 'i32' : type;
    const text = `(${type}.${op} ${left.text} ${right.text})`;
    if (type !== 'i32' || sign !== '+') return { text, type: result };
    if (left.constant !== undefined && right.constant !== undefined) {
      return this.#number(left.constant + right.constant);
    }
    if (right.constant === undefined) return { text, type };
    const [base, constant] = left.sum ?? [left.text, 0];
    const total = constant + right.constant;
    const sum = [base, total] as const;
    return { text: `(i32.add ${base} (i32.const ${total}))`, type, sum };
  }

  #number(constant: number): Typed {
    return { text: `(i32.const ${constant})`, type: 'i32', constant };
  }

  #unary(): Typed {
    if (this.#skip('!')) return { text: `(i32.eqz ${this.#unary().text})`, type: 'i32' };
    if (this.#skip('~')) return this.#binary('^', this.#unary(), this.#number(-1));
    if (this.#skip('-')) {
      const value = this.#unary();
      if (value.constant !== undefined) return this.#number(-value.constant);
      if (value.type === 'f64') return { text: `(f64.neg ${value.text})`, type: 'f64' };
      return this.#binary('-', { text: `(${value.type}.const 0)`, type: value.type }, value);
    }
    return this.#primary();
  }

  #primary(): Typed {
    const token = this.#take();
    if (token === '(') {
      const value = this.#expression(1);
      this.#take(')');
      return value;
    }
    if (/^\d/.test(token)) return this.#literal(token);
    if (LOADS[token] !== undefined && this.#next === '[') {
      const [load, , type] = LOADS[token];
      return { text: `(${load} ${this.#address()})`, type };
    }
    const type = this.#locals.get(token);
    if (type !== undefined) return { text: `(local.get $${token})`, type };
    return this.#call(token);
  }

  #literal(token: string): Typed {
    if (token.endsWith('L')) return { text: `(i64.const ${token.slice(0, -1)})`, type: 'i64' };
    if (/^\d+(\.|e)/.test(token)) return { text: `(f64.const ${token})`, type: 'f64' };
    return this.#number(Number(token));
  }

  #call(name: string): Typed {
    const immediate: string[] = [];
    if (name.includes('.') && this.#skip('<'))
      while (!this.#skip('>')) immediate.push(this.#take());
    this.#take('(');
    const args: Typed[] = [];
    while (!this.#skip(')')) {
      args.push(this.#expression(1));
      this.#skip(',');
    }
    const texts = args.map(({ text }) => text).join(' ');
    if (name === 'select') {
      const [test, then, other] = args;
      if (then.type !== other.type) this.#fail('select of two types');
      return { text: `(select ${then.text} ${other.text} ${test.text})`, type: then.type };
    }
    if (name === 'trap') return { text: '(unreachable)', type: '' };
    if (name.includes('.')) {
      return { text: `(${name} ${immediate.join(' ')} ${texts})`, type: instructionType(name) };
    }
    const known = this.#signatures[name] ?? this.#fail(`no function "${name}"`);
    if (known.params.length !== args.length || known.params.some((t, i) => t !== args[i].type)) {
      this.#fail(`${name}(${known.params.join(', ')})`);
    }
    return { text: `(call $${name} ${texts})`, type: known.result };
  }
}

/** What an instruction returns. */
function instructionType(name: string): Type {
  if (/bitmask|any_true|all_true/.test(name)) return 'i32';
  if (/^i(8x16|16x8|32x4)\.extract_lane/.test(name)) return 'i32';
  if (name === 'i64x2.extract_lane') return 'i64';
  if (/^[if](32|64)\.(eqz|lt|gt|le|ge|eq|ne)(_|$)/.test(name)) return 'i32';
  if (name.startsWith('memory.')) return '';
  const [type] = name.split('.');
  return isType(type) ? type : 'v128';
}
