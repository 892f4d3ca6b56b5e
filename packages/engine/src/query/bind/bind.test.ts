import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, test } from 'vitest';
import type { Analyzer } from '../../analysis/analyzer.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { parseQuery } from '../syntax/parse.ts';
import { bindQuery } from './bind.ts';
import type { Clause } from './clause.ts';
import type { QueryFields } from './fields.ts';

const STOPS = new Set(['the', 'of']);
/** Runs of ASCII letters and digits in lower case; `the` and `of` are dropped and leave a hole. */
const analyzer: Analyzer = {
  name: 'test',
  normalize: (word) => word.toLowerCase(),
  analyze(text, from, to, position, sink) {
    let at = position;
    for (const [word] of Buffer.from(text.subarray(from, to))
      .toString()
      .matchAll(/[a-z0-9]+/gi)) {
      const token = Buffer.from(word.toLowerCase());
      if (!STOPS.has(word.toLowerCase())) sink.token(token, 0, token.length, at, 0, 0);
      at++;
    }
    return at;
  },
};

function plan(name: string, type: FieldPlan['type'], id: number): FieldPlan {
  const inverted =
    type === 'TEXT'
      ? ({ kind: 'text', analyzer } as const)
      : type === 'KEYWORD'
        ? ({ kind: 'keyword' } as const)
        : null;
  const column =
    type === 'TEXT' ? null : type === 'KEYWORD' || type === 'IP' ? 'ordinal' : 'numeric';
  return { id, name, type, inverted, column, stored: false };
}
const plans = [
  plan('subject', 'TEXT', 0),
  plan('repo', 'KEYWORD', 1),
  plan('words', 'LONG', 2),
  plan('score', 'DOUBLE', 3),
  plan('authored_at', 'DATE', 4),
  plan('origin', 'IP', 5),
  plan('merged', 'BOOL', 6),
  plan('meta', 'TEXT', 7),
  plan('meta#paths', 'KEYWORD', 8),
];
const fields: QueryFields = {
  index: 'commits',
  plans: new Map(plans.map((p) => [p.name, p])),
  fast: new Set([2, 3, 4, 5, 6]),
};

/** A clause in one line. */
function show(clause: Clause): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString().replaceAll('\u0000', '=');
  const boosted = (boost: number) => (boost === 1 ? '' : `^${boost}`);
  switch (clause.kind) {
    case 'none':
      return 'none';
    case 'all':
      return 'all';
    case 'bool': {
      const list = (sign: string, parts: readonly Clause[]) => parts.map((p) => sign + show(p));
      const { must, should, mustNot, filter, minimum } = clause;
      const all = [
        ...list('+', must),
        ...list('', should),
        ...list('-', mustNot),
        ...list('#', filter),
      ];
      return `(${all.join(' ')})${should.length > 0 ? `@${minimum}` : ''}`;
    }
    case 'term':
      return `${clause.field.name}:${text(clause.term)}${boosted(clause.boost)}`;
    case 'phrase': {
      const words = clause.words.map((w) => `${text(w.term)}@${w.offset}`);
      return `${clause.field.name}:"${words.join(' ')}"~${clause.slop}`;
    }
    case 'set':
      return `${clause.field.name}:{${clause.terms.map(text).join(',')}}`;
    case 'prefix':
      return `${clause.field.name}:${text(clause.prefix)}*`;
    case 'precomputed':
      return `<${clause.precomputed.label}>`;
    case 'numbers':
      return `${clause.field.name}:${clause.ranges.map((r) => `[${r.lower},${r.upper}]`).join('')}`;
    case 'max':
      return `best(${clause.parts.map(show).join(' ')})~${clause.tie}`;
    case 'demoted':
      return `${show(clause.part)}, but ${show(clause.negative)}^${clause.factor}`;
    case 'keys':
      return `keys ${clause.keys.map(text).join(' ')}`;
    default:
      return `${clause.field.name}:<${clause.kind}>`;
  }
}

const bound = (query: string) =>
  show(bindQuery(parseQuery(query, { defaultFields: ['subject'] }), fields, query));

describe('binding a query', () => {
  test.each([
    ['Fix', 'subject:fix'],
    ['fix-up', 'subject:"fix@0 up@1"~0'],
    ['"end of the line"~2', 'subject:"end@0 line@3"~2'],
    ['a b', '(subject:a subject:b)@1'],
    ['a (b c)', '(subject:a subject:b subject:c)@1'],
    ['a AND (b AND c)', '(+subject:a +subject:b +subject:c)'],
    ['(a b)^2 c', '(subject:a^2 subject:b^2 subject:c)@1'],
    ['a b -c', '(subject:a subject:b -subject:c)@1'],
    ['the cat', 'subject:cat'],
    ['the', 'none'],
    ['cat -the', 'subject:cat'],
    ['repo:The', 'repo:The'],
    ['repo:x*', 'repo:x*'],
    ['subj*', 'subject:subj*'],
    ['words:5', 'words:[5,5]'],
    ['words:[1 TO 5}', 'words:[1,4]'],
    ['words:[5 TO 1]', 'none'],
    ['words:{9223372036854775807 TO *]', 'none'],
    ['merged:true', 'merged:[1,1]'],
    ['authored_at:[2020-01-01 TO *]', 'authored_at:[1577836800000000,9223372036854775807]'],
    ['origin:10.0.0.0/8', 'origin:<span>'],
    ['meta.size:1.50', 'meta#paths:{size=1.5,size=1.50}'],
    ['meta.a.b:x', 'meta#paths:a.b=x'],
    ['meta:hello', 'meta:hello'],
    ['meta.kind:pu*', 'meta#paths:kind=pu*'],
  ])('%s binds to %s', (query, expected) => {
    expect(bound(query)).toBe(expected);
  });

  test.each([
    ['subjct:timeout AND repo:git', 'field "subjct" is not in index "commits"', 0, 6],
    ['a AND words:many', '"many" is not a value of field "words" (LONG)', 6, 16],
    ['subject:[a TO b]', 'a range needs a fast field: "subject" is TEXT without fast', 0, 16],
    ['repo:[a TO b]', 'a range needs a fast field: "repo" is KEYWORD without fast', 0, 13],
    ['words:ab*', 'a prefix clause needs a TEXT or KEYWORD field: "words" is LONG', 0, 5],
    ['repo:"a b"~2', 'field "repo" is KEYWORD: "~2" after a phrase needs TEXT', 0, 12],
    ['meta.a:[1 TO 2]', 'a range clause needs a typed field: "a" is an undeclared path', 0, 15],
  ])('refuses %s with its span', (query, message, from, to) => {
    try {
      bound(query);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      expect(error.code).toBe('invalid_query');
      expect(error.message).toBe(message);
      expect(error.place).toEqual({ text: query, from, to });
    }
  });

  test('says how a column of texts becomes one of numbers', () => {
    const fast = 'set "fast: true" on "repo" in the definition, then alter index "commits" with it';
    const numbers = '; if its values are numbers, none with leading zeros: import column "repo" as';
    const hintOf = (query: string, key?: QueryFields['key']) => {
      try {
        bindQuery(parseQuery(query), { ...fields, ...(key && { key }) }, query);
      } catch (error) {
        return (error as LhsError).hint;
      }
    };
    expect(hintOf('repo:>60')).toBe(`${fast}${numbers} double`);
    expect(hintOf('repo:>6.5')).toBe(`${fast}${numbers} double`);
    expect(hintOf('repo:[a TO bb]')).toBe(fast);
    expect(hintOf('repo:[a TO b]')).toBe(`${fast}: perhaps you mean repo:(a* OR b*)`);
    expect(hintOf('repo:>60', { partition: [], identifier: ['repo'] })).toBe(fast);
  });

  test('takes true and false in any case, and names them for other words', () => {
    expect(bound('merged:TRUE')).toEqual(bound('merged:true'));
    for (const [query, meant] of [
      ['merged:yes', 'merged:true'],
      ['-merged:0^2', '-merged:false^2'],
      ['merged:(true OR No)', 'merged:(true OR false)'],
    ])
      expect(() => bound(query)).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ suggested_query: meant }) }),
      );
  });

  test('names the field that ends with an unknown one', () => {
    expect(() => bound('AT:x')).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^did you mean "authored_at"\?\n/) }),
    );
  });

  test('names fields with an order for a TEXT without one', () => {
    expect(() => bound('subject:[a TO b]')).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(
          /^no field of index "commits" groups or sorts "subject" whole: .*; fields with an order: /,
        ),
      }),
    );
  });

  test('names the nearest field and all fields for an unknown one', () => {
    try {
      bound('subjct:x');
      expect.unreachable();
    } catch (error) {
      expect((error as LhsError).hint).toBe(
        'did you mean "subject"?\nfields: subject, repo, words, score, authored_at, ' +
          'origin, merged, meta',
      );
      expect((error as LhsError).next).toEqual([{ step: 'describe_index', index: 'commits' }]);
    }
  });
});
