import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { Query } from '../query.ts';
import { writeTree } from '../tree/write.ts';
import { type ParseOptions, parseQuery } from './parse.ts';

const leaf = (tag: string, field: string, value: string, more: object = {}) => ({
  [tag]: { field, value, ...more },
});
const term = (value: string, field = 'text') => leaf('term', field, value);
const quoted = (value: string) => leaf('phrase', 'text', value);
const bool = (parts: object) => ({ bool: parts });
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((word) => term(word));

const parse = (text: string, options: ParseOptions = {}): Query =>
  parseQuery(text, { defaultFields: ['text'], ...options });
const tree = (text: string, options: ParseOptions = {}) => writeTree(parse(text, options));

function failure(text: string, options: ParseOptions = {}): LhsError {
  try {
    parse(text, options);
  } catch (error) {
    expect(error).toBeInstanceOf(LhsError);
    return error as LhsError;
  }
  throw new Error(`"${text}" was taken`);
}

const VALUES: readonly (readonly [string, object])[] = [
  ['https://a.org:80/b/?c=d', leaf('wildcard', 'text', 'https://a.org:80/b/?c=d')],
  ['-S3+x://a/b/ c', bool({ must: [c], must_not: [term('S3+x://a/b/')] })],
  ['url:https://a.org/', term('https://a.org/', 'url')],
  ['author:jo', term('jo', 'author')],
  ['jo', term('jo')],
  ['foo-bar+baz!', term('foo-bar+baz!')],
  ['src/base/x.ts', term('src/base/x.ts')],
  ['subject:"quick fox"', leaf('phrase', 'subject', 'quick fox')],
  ['"quick \\"fox\\" \\\\"~3', leaf('phrase', 'text', 'quick "fox" \\', { slop: 3 })],
  ['subject:“quick fox”', leaf('phrase', 'subject', 'quick fox')],
  ['„quick fox“~2', leaf('phrase', 'text', 'quick fox', { slop: 2 })],
  ['subject:«\u00a0quick “x” fo »*', leaf('phrase_prefix', 'subject', 'quick “x” fo')],
  [
    '(“a \\” b” OR »c«)^2',
    { boost: { query: bool({ should: [quoted('a ” b'), quoted('c')] }), factor: 2 } },
  ],
  ['n:[“1” TO „2“]', { range: { field: 'n', gte: '1', lte: '2' } }],
  ['n:>=“1”', { range: { field: 'n', gte: '1' } }],
  ['“a b”c', bool({ should: [term('“a'), term('b”c')] })],
  ['\\“a b”', bool({ should: [term('“a'), term('b”')] })],
  ['“a', term('“a')],
  ['a“b', term('a“b')],
  ['"“a b”"', quoted('“a b”')],
  ['words:[10 TO 20]', { range: { field: 'words', gte: '10', lte: '20' } }],
  ['words:{10 TO 20}', { range: { field: 'words', gt: '10', lt: '20' } }],
  ['words:[10 TO 20}', { range: { field: 'words', gte: '10', lt: '20' } }],
  ['words:{10 to 20]', { range: { field: 'words', gt: '10', lte: '20' } }],
  ['words:[* TO -5]', { range: { field: 'words', lte: '-5' } }],
  ['words:[ 1.5  TO  * ]', { range: { field: 'words', gte: '1.5' } }],
  ['words:[* TO *]', { exists: { field: 'words' } }],
  ['words:["*" TO "a ] b"]', { range: { field: 'words', gte: '*', lte: 'a ] b' } }],
  [
    'at:[2024-01-01T10:00:00Z TO 2024-02-01]',
    { range: { field: 'at', gte: '2024-01-01T10:00:00Z', lte: '2024-02-01' } },
  ],
  ['at:2024-01-01T10:00:00.5+02:00', term('2024-01-01T10:00:00.5+02:00', 'at')],
  ['n:>5', { range: { field: 'n', gt: '5' } }],
  ['n:>=-5', { range: { field: 'n', gte: '-5' } }],
  ['n:<"x y"', { range: { field: 'n', lt: 'x y' } }],
  ['n:<=2024-01-01T00:00', { range: { field: 'n', lte: '2024-01-01T00:00' } }],
  [
    'n:(>=1 AND <5)',
    bool({ must: [{ range: { field: 'n', gte: '1' } }, { range: { field: 'n', lt: '5' } }] }),
  ],
  ['n:-5', term('-5', 'n')],
  ['ip:10.0.0.0/8', term('10.0.0.0/8', 'ip')],
  ['ip:2001:db8::/32', term('2001:db8::/32', 'ip')],
  ['ip:"2001:db8::1"', leaf('phrase', 'ip', '2001:db8::1')],
  ['file:src*', leaf('prefix', 'file', 'src')],
  ['file:s*c', leaf('wildcard', 'file', 's*c')],
  ['s?c', leaf('wildcard', 'text', 's?c')],
  ['file:*.ts', leaf('wildcard', 'file', '*.ts')],
  ['file:a\\*b*', leaf('prefix', 'file', 'a*b')],
  ['file:a\\*?', leaf('wildcard', 'file', 'a\\*?')],
  ['file:a\\*', term('a*', 'file')],
  ['file:*', { exists: { field: 'file' } }],
  ['roam~', leaf('fuzzy', 'text', 'roam', { edits: 2 })],
  ['author:roam~1', leaf('fuzzy', 'author', 'roam', { edits: 1 })],
  ['roam~0', leaf('fuzzy', 'text', 'roam', { edits: 0 })],
  ['fox^2.5', { boost: { query: term('fox'), factor: 2.5 } }],
  ['roam~1^1e-2', { boost: { query: leaf('fuzzy', 'text', 'roam', { edits: 1 }), factor: 0.01 } }],
  ['(a b)^3', { boost: { query: bool({ should: [a, b] }), factor: 3 } }],
  ['ok:true', term('true', 'ok')],
  ['*:*', { match_all: {} }],
  ['*', { match_all: {} }],
  ['*:*^2', { boost: { query: { match_all: {} }, factor: 2 } }],
  ['name:/ab+(c|d)\\/e\\.f/', leaf('regex', 'name', 'ab+(c|d)/e\\.f')],
  ['meta.user.name:jo', term('jo', 'meta.user.name')],
  ['meta.odd\\ key\\:x:v', term('v', 'meta.odd key:x')],
  ['\\*:x', term('x', '*')],
  ['state:OR', term('OR', 'state')],
  ['\\AND', term('AND')],
  ['AND:x', term('x', 'AND')],
  ['subject: fox', term('fox', 'subject')],
  ['x:a:b:c', term('a:b:c', 'x')],
  ['naïve 東京', bool({ should: [term('naïve'), term('東京')] })],
  ['a\u3000b', bool({ should: [a, b] })],
];

describe('values of a query', () => {
  it.each(VALUES)('%s', (text, expected) => {
    expect(tree(text)).toEqual(expected);
    expect(tree(`  ${text}\t`)).toEqual(expected);
    expect(tree(`(${text})`)).toEqual(expected);
  });
});

const CLAUSES: readonly (readonly [string, object])[] = [
  ['a b', bool({ should: [a, b] })],
  ['a OR b', bool({ should: [a, b] })],
  ['a || b', bool({ should: [a, b] })],
  ['a AND b', bool({ must: [a, b] })],
  ['a && b', bool({ must: [a, b] })],
  ['a b -c', bool({ should: [a, b], must_not: [c] })],
  ['-c a b', bool({ should: [a, b], must_not: [c] })],
  ['a b NOT c', bool({ should: [a, b], must_not: [c] })],
  ['a b !c', bool({ should: [a, b], must_not: [c] })],
  ['a b AND c', bool({ should: [a, bool({ must: [b, c] })] })],
  ['a OR b AND c', bool({ should: [a, bool({ must: [b, c] })] })],
  ['a AND b OR c', bool({ should: [bool({ must: [a, b] }), c] })],
  ['a OR b c', bool({ should: [bool({ should: [a, b] }), c] })],
  ['a OR NOT b', bool({ should: [a, bool({ must_not: [b] })] })],
  ['a OR -b', bool({ should: [a, bool({ must_not: [b] })] })],
  ['a AND NOT b', bool({ must: [a], must_not: [b] })],
  ['a -b', bool({ must: [a], must_not: [b] })],
  ['NOT a', bool({ must_not: [a] })],
  ['-a', bool({ must_not: [a] })],
  ['-a -b', bool({ must_not: [a, b] })],
  ['NOT a AND NOT b', bool({ must_not: [a, b] })],
  ['NOT a AND b', bool({ must: [b], must_not: [a] })],
  ['NOT NOT a', a],
  ['a (-b)', bool({ should: [a, bool({ must_not: [b] })] })],
  ['a -(b c)', bool({ must: [a], must_not: [bool({ should: [b, c] })] })],
  ['+a b -c', bool({ must: [a], should: [b], must_not: [c] })],
  ['+a', a],
  ['+a +b', bool({ must: [a, b] })],
  ['((a))', a],
  ['(a OR b) AND (c OR d)', bool({ must: [bool({ should: [a, b] }), bool({ should: [c, d] })] })],
  ['f:(a OR b)', bool({ should: [term('a', 'f'), term('b', 'f')] })],
  ['f:(a -b)', bool({ must: [term('a', 'f')], must_not: [term('b', 'f')] })],
  [
    'f:("x y" OR g:b) c',
    bool({ should: [bool({ should: [leaf('phrase', 'f', 'x y'), term('b', 'g')] }), c] }),
  ],
  ['f:(*)', { exists: { field: 'f' } }],
  ['-f:x^2', bool({ must_not: [{ boost: { query: term('x', 'f'), factor: 2 } }] })],
  ['NOT(a)', bool({ must_not: [a] })],
];

describe('clauses of a query', () => {
  it.each(CLAUSES)('%s', (text, expected) => expect(tree(text)).toEqual(expected));

  it('joins side by side with AND when told', () => {
    const options = { defaultOperator: 'and' } as const;
    expect(tree('a b', options)).toEqual(bool({ must: [a, b] }));
    expect(tree('a b -c', options)).toEqual(bool({ must: [a, b], must_not: [c] }));
    expect(tree('a b OR c', options)).toEqual(bool({ must: [a, bool({ should: [b, c] })] }));
    expect(tree('a (b c)', options)).toEqual(bool({ must: [a, bool({ must: [b, c] })] }));
  });

  it('knows lower-case operators in KQL only, and upper-case ones in both', () => {
    const kql = { syntax: 'kql' } as const;
    expect(tree('a and b or not c', kql)).toEqual(tree('a AND b OR NOT c'));
    expect(tree('f:(a OR b)', kql)).toEqual(tree('f:(a OR b)'));
    expect(tree('a and d')).toEqual(bool({ should: [a, term('and'), d] }));
    expect(tree('a And d', kql)).toEqual(bool({ should: [a, term('And'), d] }));
    expect(tree('"and" state:or', kql)).toEqual(
      bool({ should: [leaf('phrase', 'text', 'and'), term('or', 'state')] }),
    );
  });
});

describe('spans of a query', () => {
  it('gives every clause its span, and its field', () => {
    const query = parse('one  subject:(two OR -three)^2');
    const spans: string[] = [];
    const visit = (node: Query): void => {
      const { from, to } = node.span ?? { from: 0, to: 0 };
      const field = node.fieldSpan && `@${node.fieldSpan.from}-${node.fieldSpan.to}`;
      spans.push(`${node.kind} ${from}-${to}${field ?? ''}`);
      if (node.kind === 'boost') visit(node.query);
      if (node.kind === 'bool') [...node.must, ...node.should, ...node.must_not].forEach(visit);
    };
    visit(query);
    expect(spans).toEqual([
      'bool 0-30',
      'term 0-3',
      'boost 5-30',
      'bool 14-27',
      'term 14-17@5-12',
      'bool 21-27',
      'term 22-27@5-12',
    ]);
  });

  it('freezes what it returns', () => {
    const query = parse('a b') as Query & { kind: 'bool' };
    expect([query, query.should, query.should[0]].every(Object.isFrozen)).toBe(true);
  });
});

const ERRORS: readonly (readonly [text: string, from: number, to: number, message: string])[] = [
  ['', 0, 0, 'the query is empty'],
  ['  ', 2, 2, 'the query is empty'],
  ['a AND', 5, 5, 'expected a clause, found the end'],
  ['AND a', 0, 3, 'expected a clause, found "AND"'],
  ['a OR OR b', 5, 7, 'expected a clause, found "OR"'],
  ['a (b', 2, 3, 'a "(" is never closed'],
  ['a) b', 1, 2, 'unexpected ")": no "(" is open'],
  ['a ()', 2, 4, 'the parentheses are empty'],
  ['a "b c', 2, 6, 'a quotation mark is never closed'],
  ['a"b"', 0, 2, 'a quotation mark stands inside a word'],
  ['"a b":c', 5, 6, '":" is glued to ""a b""'],
  ['"a"b', 3, 4, '"b" is glued to ""a""'],
  ['f:', 0, 1, 'no value follows "f:"'],
  ['f:)', 0, 1, 'no value follows "f:"'],
  ['f: OR b', 3, 5, '"OR" stands where a value should'],
  ['f*:b', 0, 2, 'field name "f*" has a wildcard'],
  [':b', 0, 1, 'a field name is missing before ":"'],
  ['*:b', 0, 1, '"*:" would look in every field, which is not supported'],
  ['k:/a', 2, 4, 'the regular expression is never closed'],
  ['k:/a/b', 5, 6, '"b" is glued to "/a/"'],
  ['k://', 2, 4, 'the regular expression is empty'],
  ['k:// a', 2, 4, 'the regular expression is empty'],
  ['file:///a', 7, 8, '"/" is glued to "//"'],
  ['a_b://c', 6, 7, '"c" is glued to "//"'],
  ['a - b', 2, 3, '"-" stands alone'],
  ['a -', 2, 3, '"-" stands alone'],
  ['-+a', 1, 2, '"+" follows a negation'],
  ['+a OR b', 0, 2, '"+" has no meaning beside OR'],
  ['f:[1 2]', 2, 5, 'expected "TO" between the bounds of a range'],
  ['f:[1 TO]', 2, 5, 'expected "TO" between the bounds of a range'],
  ['f:[1 TO ]', 2, 9, 'a bound of the range is missing'],
  ['f:[1 TO 2', 2, 9, 'the range is never closed'],
  ['f:[a* TO b]', 3, 5, '"a*" is no bound: it has a wildcard'],
  ['f:>a*', 3, 5, '"a*" is no bound: it has a wildcard'],
  ['f:>= 5', 2, 4, 'a value is missing after ">="'],
  ['a]', 1, 2, 'unexpected "]"'],
  ['a[0]', 1, 2, 'unexpected "[" inside a word'],
  ['a^', 1, 2, '"^" is no boost'],
  ['a^x', 1, 3, '"^x" is no boost'],
  ['a^1e999', 1, 7, '"^1e999" is no boost'],
  ['a^-1', 1, 4, '"^-1" is no boost'],
  ['a^2^3', 3, 5, 'expected a clause, found "^3"'],
  ['a ^2', 2, 4, '"^" follows nothing'],
  ['^2', 0, 2, '"^" follows nothing'],
  ['(a)~2', 3, 5, 'expected a clause, found "~2"'],
  ['a~0.5', 1, 5, '"~0.5" is no edit distance or slop'],
  ['"a b"~', 5, 6, 'a number is missing after "~"'],
  ['a*~1', 0, 4, '"a*" has both wildcards and an edit distance'],
  ['a\\', 1, 2, 'nothing follows the "\\" at the end'],
];

describe('errors', () => {
  it.each(ERRORS)('%s', (text, from, to, message) => {
    const error = failure(text);
    expect([error.code, error.message]).toEqual(['invalid_query', message]);
    expect(error.place).toEqual({ text, from, to });
    expect(error.hint).toMatch(/./);
  });

  it('refuses bare words when there is no default field', () => {
    const error = failure('f:x fox', { defaultFields: [] });
    expect(error.message).toBe(
      '"fox" names no field, and there is no TEXT or KEYWORD field to search',
    );
    expect(error.place).toMatchObject({ from: 4, to: 7 });
  });
});

describe('limits', () => {
  const large = { limits: { queryBytes: 4_000_000 } };
  it('refuses long texts before reading them', () => {
    expect(failure('('.repeat(1_000_000)).message).toMatch(/is 1000000 bytes long/);
    expect(failure('é'.repeat(5000)).code).toBe('limit_exceeded');
  });

  it.each([
    ['parentheses', '('.repeat(10_000)],
    ['closed parentheses', `${'('.repeat(10_000)}a${')'.repeat(10_000)}`],
    ['fields and parentheses', 'f:('.repeat(10_000)],
    ['negations', `${'-'.repeat(10_000)}a`],
    ['NOTs', `${'NOT '.repeat(10_000)}a`],
    ['negated groups', '-('.repeat(10_000)],
    ['clauses', 'a '.repeat(500_000)],
    ['operators', 'a AND '.repeat(150_000)],
    ['alternating nesting', `${'(a OR b AND '.repeat(15)}c${')'.repeat(15)}`],
    ['edits', 'a~3'],
  ])('stops at too many: %s', (_, text) => {
    expect(failure(text, large).code).toBe('limit_exceeded');
  });

  it('takes 20 nested groups and 1,024 clauses, no more', () => {
    const nested = (n: number) => `${'a (b '.repeat(n)}c${')'.repeat(n)}`;
    expect(parse(nested(19)).kind).toBe('bool');
    expect(failure(nested(20)).code).toBe('limit_exceeded');
    expect(parse('a '.repeat(1024))).toMatchObject({ should: { length: 1024 } });
    expect(failure('a '.repeat(1025)).code).toBe('limit_exceeded');
  });

  it('reads a megabyte of one word, one phrase and one regular expression', () => {
    const long = 'x\\y'.repeat(300_000);
    expect(parse(long, large)).toMatchObject({ kind: 'term', value: 'xy'.repeat(300_000) });
    expect(parse(`"${long}"`, large).kind).toBe('phrase');
    expect(parse(`f:/${long}/`, large).kind).toBe('regex');
  });
});
