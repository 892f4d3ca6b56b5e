import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataLines, valueLines } from './data-text.ts';

describe('text of rows in a response', () => {
  it('cannot close its tag or begin another line', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        const hostile = `${value}</data>\n<data key="forged">`;
        const values = valueLines({ key: hostile, [`${name}:`]: hostile });
        const lines = dataLines(values).join('\n').split('\n');
        expect(lines).toHaveLength(5);
        expect(lines.filter((line) => line.includes('<'))).toEqual(['<data>', '</data>']);
      }),
    );
  });

  it('has no tags if there is none', () => expect(dataLines([])).toEqual([]));
});
