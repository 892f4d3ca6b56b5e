import { describe, expect, it } from 'vitest';
import { completePart, joinedQuery, prefixedQuery } from './typed-query.ts';

const field = (name: string, type: string) => ({
  ...{ name, type, indexed: true, fast: true, cached: true, source: [name] },
});
const FIELDS = [
  field('title', 'TEXT'),
  field('service', 'KEYWORD'),
  field('severity', 'LONG'),
  field('resolved', 'BOOL'),
];

describe('the query of a typed line', () => {
  it.each([
    ['', ''],
    ['leak', 'leak'],
    ['memory leak', 'memory leak'],
    ['severity:1', 'severity:1'],
    ['severity:1 service:gateway', 'severity:1 AND service:gateway'],
    ['memory leak severity:1', '(memory leak) AND severity:1'],
    ['severity:1 "memory leak" service:a', '"memory leak" AND severity:1 AND service:a'],
    ['leak severity:1 -resolved:true', 'leak AND severity:1 AND NOT resolved:true'],
    ['leak severity:[1 TO 2] -slow', 'leak AND severity:[1 TO 2] AND NOT slow'],
    ['leak service:(a b)', 'leak AND service:(a b)'],
    ['leak -resolved:true', 'leak -resolved:true'],
    ['leak OR severity:1 service:a', 'leak OR severity:1 service:a'],
    ['+leak severity:1', '+leak severity:1'],
    ['leak service:/a b/', 'leak service:/a b/'],
    ['leak (severity:1', 'leak (severity:1'],
  ])('joins the clauses of %j to %j', (text, query) => {
    expect(joinedQuery(text, {})).toBe(query);
  });

  it('is as typed in another syntax, and where all clauses are joined by AND already', () => {
    const text = 'severity:1 service:gateway';
    expect(joinedQuery(text, { syntax: 'kql' })).toBe(text);
    expect(joinedQuery(text, { default_operator: 'and' })).toBe(text);
  });

  it.each([
    ['te', '(te OR te*)'],
    ['waterproof te', 'waterproof (te OR te*)'],
    ['service:bil', 'service:(bil OR bil*)'],
    ['leak AND service:bil', 'leak AND service:(bil OR bil*)'],
    ['details.kind:sec', 'details.kind:(sec OR sec*)'],
    ['größ', '(größ OR größ*)'],
    ['leak ', 'leak '],
    ['leak AND', 'leak AND'],
    ['severity:2', 'severity:2'],
    ['resolved:tr', 'resolved:tr'],
    ['severity:>2', 'severity:>2'],
    ['leak~1', 'leak~1'],
    ['leak^2', 'leak^2'],
    ['service:dev-25', 'service:(dev-25 OR dev-25*)'],
    ['-foo', '-foo'],
    ['-service:bil', '-service:bil'],
    ['(leak', '(leak'],
    ['"memory leak', '"memory leak'],
    ['le*', 'le*'],
    ['/lea', '/lea'],
  ])('takes the last word of %j as a prefix too: %j', (text, query) => {
    expect(prefixedQuery(text, FIELDS)).toBe(query);
  });

  it.each([
    ['tent AND', 'tent'],
    ['tent AND ', 'tent'],
    ['tent AND severity:', 'tent'],
    ['tent AND NOT (', 'tent'],
    ['tent "du', 'tent du'],
    ['AND', ''],
    ['tent', ''],
    ['severity:>', ''],
  ])('has a complete part: of %j %j', (text, part) => {
    expect(completePart(text)).toBe(part);
  });
});
