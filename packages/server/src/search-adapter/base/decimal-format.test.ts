import { describe, expect, it } from 'vitest';
import { decimalFormat } from './decimal-format.ts';

// values of java.text.DecimalFormat, whose patterns these are
describe('decimalFormat', () => {
  it.each([
    ['0.00', 1234.565, '1234.57'],
    ['0', 0.5, '0'],
    ['0', 1.5, '2'],
    ['#,##0.##', 1234567.891, '1,234,567.89'],
    ['#,###', 1234, '1,234'],
    ['000', 7, '007'],
    ['0.0', -2.25, '-2.2'],
    ['0 ms', 12.4, '12 ms'],
    ['€0.00', -1, '-€1.00'],
    ['#.##', 0.25, '0.25'],
    ['0.0', -0.04, '-0.0'],
    ['0.###', 3, '3'],
  ])('%s of %d', (pattern, value, text) => {
    expect(decimalFormat(pattern)(value)).toBe(text);
  });

  it.each(['0.0%', '0E0', '#,#0', '0;-0'])('refuses %s by name', (pattern) => {
    expect(() => decimalFormat(pattern)).toThrow('served');
  });
});
