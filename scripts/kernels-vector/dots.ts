/** Dot products of a query with rows of bytes, four rows at a time. */
import { add, c32, g, load, locals, params, set, shl, sub, times } from '../kernels/wat.ts';

/** Rows of one step: they share what is loaded of the query. */
const ROWS = 4;

/** Bytes of a component of the query: 2 for codes of 16 bits, 1 for a row of the plane. */
type Width = 1 | 2;

/** Eight components of the query as 16-bit lanes, from component `at` on. */
const lanes = (width: Width, at: number): string =>
  width === 2
    ? `(v128.load offset=${2 * at} ${g('q')})`
    : `(v128.load8x8_s offset=${at} ${g('q')})`;

/** 16 components of `rows` rows from $p0 … on, `offset` bytes further. */
const sixteen = (rows: number, offset: number, width: Width): string => `
  ${set('qa', lanes(width, offset))} ${set('qb', lanes(width, offset + 8))}
  ${times(rows, (r) => {
    const part = (at: number, query: string) =>
      `(i32x4.dot_i16x8_s (v128.load8x8_s offset=${offset + at} ${g(`p${r}`)}) ${g(query)})`;
    return (
      set(`s${r}`, `(i32x4.add ${g(`s${r}`)} ${part(0, 'qa')})`) +
      set(`s${r}`, `(i32x4.add ${g(`s${r}`)} ${part(8, 'qb')})`)
    );
  })}`;

const forward = (rows: number, bytes: number, width: Width): string =>
  set('q', add(g('q'), c32(width * bytes))) +
  times(rows, (r) => set(`p${r}`, add(g(`p${r}`), c32(bytes))));

const zero = (rows: number): string =>
  times(rows, (r) => set(`s${r}`, '(v128.const i32x4 0 0 0 0)'));

/** s0 … += products, four lanes each, of `bytes` bytes of the rows at $p0 … and the query at $q. */
const sums = (rows: number, width: Width, bytes: string): string => `
  ${set('e', add(g('q'), shl(`(i32.and ${bytes} (i32.const -32))`, width - 1)))}
  (if (i32.ne ${g('q')} ${g('e')}) (then (loop $c
    ${sixteen(rows, 0, width)} ${sixteen(rows, 16, width)} ${forward(rows, 32, width)}
    (br_if $c (i32.ne ${g('q')} ${g('e')})))))
  (if (i32.and ${bytes} ${c32(16)}) (then ${sixteen(rows, 0, width)}))`;

const pairs = (a: string, b: string, lanes: readonly number[]): string => {
  const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
  return `(i8x16.shuffle ${bytes.join(' ')} ${a} ${b})`;
};
const halves = (a: string, b: string): string =>
  `(i32x4.add ${pairs(g(a), g(b), [0, 4, 1, 5])} ${pairs(g(a), g(b), [2, 6, 3, 7])})`;

/** Sums of the lanes of s0 .. s3 as four lanes. */
const across = `${set('s0', halves('s0', 's1'))} ${set('s2', halves('s2', 's3'))}
  (v128.store ${g('dots')} (i32x4.add ${pairs(g('s0'), g('s2'), [0, 1, 4, 5])}
    ${pairs(g('s0'), g('s2'), [2, 3, 6, 7])}))`;

const single = `(i32.store ${g('dots')} ${[0, 1, 2, 3]
  .map((lane) => `(i32x4.extract_lane ${lane} ${g('s0')})`)
  .reduce(add)})`;

/** A listed row's address in a plane of rows of `bytes` bytes. */
const place = (plane: string, bytes: string, r: number): string =>
  add(g(plane), `(i32.mul ${load(add(g('list'), c32(4 * r)))} ${g(bytes)})`);

/** `body(rows)`: sums of a step of so many rows; `step(rows)` moves on to the next one. */
const kernel = (
  name: string,
  names: string,
  body: (rows: number) => string,
  step: (rows: number) => string,
): string => {
  const pass = (rows: number, out: string): string => `
    (block $done${rows} (loop $l${rows}
      (br_if $done${rows} (i32.lt_s ${g('count')} ${c32(rows)}))
      ${zero(rows)} ${body(rows)} ${out}
      ${step(rows)} ${set('dots', add(g('dots'), c32(4 * rows)))}
      ${set('count', sub(g('count'), c32(rows)))} (br $l${rows})))`;
  return `(func (export "${name}") ${params('i32', names)}
    ${locals('i32', 'q e p0 p1 p2 p3')} ${locals('v128', 'qa qb s0 s1 s2 s3')}
    ${pass(ROWS, across)} ${pass(1, single)})`;
};

const onList = (rows: number): string => set('list', add(g('list'), c32(4 * rows)));

/** dots: of `count` rows that lie behind one another. */
export const dots = kernel(
  'dots',
  'rows count row query dots',
  (rows) =>
    set('q', g('query')) +
    times(rows, (r) => set(`p${r}`, r === 0 ? g('rows') : add(g(`p${r - 1}`), g('row')))) +
    sums(rows, 2, g('row')),
  (rows) => set('rows', add(g('rows'), `(i32.mul ${g('row')} ${c32(rows)})`)),
);

/** dotsOf: of the rows that are listed. */
export const dotsOf = kernel(
  'dotsOf',
  'rows list count row query dots',
  (rows) =>
    set('q', g('query')) +
    times(rows, (r) => set(`p${r}`, place('rows', 'row', r))) +
    sums(rows, 2, g('row')),
  onList,
);

const both = (name: string, width: Width): string =>
  kernel(
    name,
    'heads tails list count head tail query rest dots',
    (rows) =>
      set('q', g('query')) +
      times(rows, (r) => set(`p${r}`, place('heads', 'head', r))) +
      sums(rows, width, g('head')) +
      set('q', g('rest')) +
      times(rows, (r) => set(`p${r}`, place('tails', 'tail', r))) +
      sums(rows, width, g('tail')),
    onList,
  );

/** wholeDotsOf: of the vectors that are listed, whose rows lie in two planes. */
export const wholeDotsOf = both('wholeDotsOf', 2);

/** rowDotsOf: the same, the query being rows of bytes itself. */
export const rowDotsOf = both('rowDotsOf', 1);
