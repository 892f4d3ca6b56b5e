/** The language of long kernels: what its programs compute, and which ones it refuses. */
import { describe, expect, it } from 'vitest';
import wabt from 'wabt';
import { compile } from '../../scripts/kernels/language.ts';
import { seededBelow } from '../support/random.ts';

type Exports = Readonly<Record<string, (...args: number[]) => number>>;

/** The exported functions of a program, over a memory of 64 KiB. */
async function load(source: string): Promise<{ exports: Exports; memory: Int32Array }> {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const text = `(module (import "env" "memory" (memory 1)) ${compile(source)})`;
  const parsed = (await wabt()).parseWat('test.wat', text, { simd: true });
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  const instance = new WebAssembly.Instance(new WebAssembly.Module(buffer), { env: { memory } });
  return { exports: instance.exports as Exports, memory: new Int32Array(memory.buffer) };
}

describe('the kernel language', () => {
  it('runs loops over memory, with breaks and offsets', async () => {
    const { exports, memory } = await load(`
      export fn sum(i32 at, i32 n) -> i32 {
        i32 i = 0, s = 0;
        while (1) {
          if (i == n) { break; }
          i += 1;
          if (i32[at + (i << 2) - 4] < 0) { continue; }
          s += i32[at + (i << 2) + -4];
        }
        i32[at + 400] = s;
        return s;
      }`);
    memory.set([5, -7, 11, 13], 2);
    expect(exports.sum(8, 4)).toBe(29);
    expect(memory[2 + 100]).toBe(29);
  });

  it('computes random expressions as JavaScript does', async () => {
    const random = seededBelow(7);
    const leaf = () => ['a', 'b', 'c', String(random(100))][random(4)];
    const signs = ['+', '-', '*', '&', '|', '^', '<', '<=', '>', '>=', '==', '!=', '<<'];
    const make = (depth: number): string => {
      if (depth === 0) return leaf();
      const [left, right] = [make(depth - 1), make(random(depth))];
      const text = `${left} ${signs[random(signs.length)]} ${right}`;
      return random(3) === 0 ? `(${text})` : text;
    };
    const all = Array.from({ length: 60 }, () => make(3));
    const { exports } = await load(
      all.map((e, i) => `export fn f${i}(i32 a, i32 b, i32 c) -> i32 { return ${e}; }`).join('\n'),
    );
    for (const [i, text] of all.entries()) {
      const args = [random(2 ** 16) - 2 ** 15, random(50), -random(50)];
      expect(exports[`f${i}`](...args), text).toBe(evaluate(text, args));
    }
  });

  it('stops at && and || as soon as the result is known', async () => {
    const { exports } = await load(`
      fn never() -> i32 { trap(); return 1; }
      export fn both(i32 a) -> i32 { return a != 0 && never(); }
      export fn either(i32 a) -> i32 { return a != 0 || never(); }`);
    expect([exports.both(0), exports.either(1)]).toEqual([0, 1]);
    expect(() => exports.both(1)).toThrow('unreachable');
  });

  it.each([
    ['fn f(i32 a) -> f64 { return a; }', 'f: expected f64, not i32'],
    ['fn f(i32 a, f64 b) -> i32 { return a + b; }', 'f: i32 + f64'],
    ['fn f(f64 a) -> f64 { return a & a; }', 'f: no & of f64'],
    ['fn f() -> i32 { return g(1); }', 'f: no function "g"'],
    ['fn g(i32 a) { } fn f() { g(1.5); }', 'f: g(i32)'],
    ['fn f() { i32 a = 1; i32 a = 2; }', 'f: "a" is declared twice'],
    ['fn f() { break; }', 'f: not in a loop'],
    ['fn f() { i32 a = 1 }', 'f: expected ";"'],
    ['fn f() { i32 a = `1`; }', 'no token: `1`'],
  ])('refuses %s', (source, message) => {
    expect(() => compile(source)).toThrow(message);
  });
});

/** The value of an expression of 32-bit numbers with the precedence of C. */
function evaluate(text: string, [a, b, c]: readonly number[]): number {
  const levels = [
    ['|'],
    ['^'],
    ['&'],
    ['==', '!='],
    ['<', '<=', '>', '>='],
    ['<<'],
    ['+', '-'],
    ['*'],
  ];
  const tokens = text.match(/\d+|[abc()]|<<|<=|>=|==|!=|[-+*&|^<>]/g) ?? [];
  const names: Readonly<Record<string, number>> = { a, b, c };
  const primary = (): number => {
    const token = tokens.shift()!;
    if (token !== '(') return names[token] ?? Number(token);
    const value = parse(0);
    tokens.shift();
    return value;
  };
  const parse = (level: number): number => {
    if (level === levels.length) return primary();
    let left = parse(level + 1);
    while (levels[level].includes(tokens[0] ?? '')) {
      left = apply(tokens.shift()!, left, parse(level + 1));
    }
    return left;
  };
  return parse(0);
}

function apply(sign: string, left: number, right: number): number {
  if (sign === '*') return Math.imul(left, right);
  const values: Readonly<Record<string, number | boolean>> = {
    '+': left + right,
    '-': left - right,
    '&': left & right,
    '|': left | right,
    '^': left ^ right,
    '<<': left << right,
    '<': left < right,
    '<=': left <= right,
    '>': left > right,
    '>=': left >= right,
    '==': left === right,
    '!=': left !== right,
  };
  return Number(values[sign]) | 0;
}
