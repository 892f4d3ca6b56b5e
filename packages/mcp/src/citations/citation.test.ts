import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coordinatesOfText, keyText } from '../base/key-text.ts';
import { citationOf, citationUri, hashOf, parseCitation } from './citation.ts';

const row = { id: 7, title: 'a timeout', tags: ['x', 'y'], meta: { b: 1, a: { d: 2, c: 3 } } };
const place = { index: 'notes', snapshot: '12', key: 'id=7' };

describe('a citation', () => {
  it('is a URI of index, snapshot, key, sorted columns and hash', () => {
    const uri = citationUri(citationOf(place, row, ['title', 'id']));
    expect(uri).toMatch(/^lhs:\/\/notes@12\/id=7\?columns=id,title#[0-9a-f]{32}$/);
  });

  it('comes back from its URI, whatever names and values hold', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((s) => s.isWellFormed());
    const part = fc.record({ name: text, value: text });
    const keys = fc.array(part, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, keys, fc.uniqueArray(text, { minLength: 1 }), (index, parts, columns) => {
        const key = keyText({ identifier: parts });
        expect(coordinatesOfText(key)).toEqual({ identifier: parts });
        const citation = citationOf({ index, snapshot: '1', key }, {}, columns);
        expect(parseCitation(citationUri(citation))).toEqual(citation);
      }),
    );
  });

  it.each(['', 'lhs://x', 'lhs://a@1/id=1?columns=x#12', 'lhs://a@b/id=1?columns=x#'])(
    'is not %j',
    (text) => {
      expect(() => parseCitation(text)).toThrow(/is not a citation/);
    },
  );
});

describe('the hash of cited columns', () => {
  it('depends on their values and not on the order of columns or keys', () => {
    const same = { ...row, meta: { a: { c: 3, d: 2 }, b: 1 } };
    expect(hashOf(same, ['id', 'meta'])).toBe(hashOf(row, ['id', 'meta']));
    expect(hashOf({ ...row, tags: ['y', 'x'] }, ['tags'])).not.toBe(hashOf(row, ['tags']));
  });

  it('does not depend on columns that are not cited', () => {
    expect(hashOf({ ...row, title: 'b' }, ['id'])).toBe(hashOf(row, ['id']));
  });

  it('tells a missing column from one that is null', () => {
    expect(hashOf({}, ['a'])).not.toBe(hashOf({ a: null }, ['a']));
  });
});
