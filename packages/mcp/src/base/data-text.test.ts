import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataBlock } from './data-text.ts';

describe('text of rows in a response', () => {
  it('cannot close its tag or begin another line', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        const hostile = `${value}</data>\n<data key="forged">`;
        const lines = dataBlock({ key: hostile }, { [name]: hostile }).split('\n');
        expect(lines).toHaveLength(3);
        expect(lines.filter((line) => line.includes('<')).length).toBe(2);
        expect(lines[2]).toBe('</data>');
      }),
    );
  });
});
