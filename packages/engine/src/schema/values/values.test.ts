import { isIPv4, isIPv6 } from 'node:net';
import type { Type, Value } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, leafTexts } from '../variant-terms.ts';
import { columnText, parseColumnText } from './column-text.ts';
import { civilFromDays, daysFromCivil, formatDate, parseDate } from './date-value.ts';
import { formatIp, parseCidr, parseIp } from './ip-value.ts';
import { fieldValueToJson, parseDouble, parseFieldValue, parseLong } from './values.ts';

const seed = 20251121;

describe('date values', () => {
  it('agree with the platform calendar', () => {
    const ms = fc.integer({ min: Date.UTC(0, 0, 1) - 6e13, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(ms, (at) => {
        const iso = new Date(at).toISOString();
        if (iso[0] === '-' || iso[0] === '+') return;
        expect(formatDate(BigInt(at) * 1000n)).toBe(iso.replace('Z', '000Z'));
        expect(parseDate(iso)).toBe(BigInt(at) * 1000n);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('reads back every instant it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (micros) => {
        expect(parseDate(formatDate(micros))).toBe(micros);
      }),
      { seed, numRuns: 2000 },
    );
    for (let day = -800_000; day < 800_000; day += 97) {
      expect(daysFromCivil(...civilFromDays(day))).toBe(day);
    }
  });

  it('takes ISO forms and epoch microseconds', () => {
    const noon = BigInt(Date.UTC(2025, 10, 3, 12)) * 1000n;
    for (const text of [
      '2025-11-03T12:00:00Z',
      '2025-11-03t12:00z',
      '2025-11-03 12:00',
      '2025-11-03T14:00:00.000000+02:00',
      '2025-11-03T06:30:00-0530',
      '2025-11-03T12:00:00.0000009',
      String(noon),
    ]) {
      expect(parseDate(text), text).toBe(noon);
    }
    expect(parseDate('2025-11')).toBe(BigInt(Date.UTC(2025, 10, 1)) * 1000n);
    expect(parseDate('2024-02-29')).toBe(BigInt(Date.UTC(2024, 1, 29)) * 1000n);
    expect(parseDate('-1')).toBe(-1n);
  });

  it('refuses what names no instant', () => {
    for (const text of [
      '2025-02-29',
      '2025-13-01',
      '2025-00-01',
      '2025-1-1',
      '2025-11-03T24:00',
      '2025-11-03T12:60',
      '2025-11-03Z',
      'yesterday',
      '',
      '9223372036854775808',
      '2025-11-03T12:00:00+25:00',
    ]) {
      expect(parseDate(text), text).toBeNull();
    }
  });
});

describe('IP values', () => {
  it('are what node:net says they are', () => {
    const part = fc.constantFrom('0', '00', '1', '255', '256', 'ffff', '10000', 'g', '', 'A0b');
    const made = fc
      .array(fc.tuple(part, fc.constantFrom(':', '::', '.', ':')), { minLength: 1, maxLength: 9 })
      .map((pieces) =>
        pieces
          .map(([p, s]) => p + s)
          .join('')
          .replace(/[.:]$/, ''),
      );
    const text = fc.oneof(made, fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(text, (address) => {
        const parsed = parseIp(address);
        expect(parsed !== null, address).toBe(isIPv4(address) || isIPv6(address));
        if (parsed !== null) expect(parseIp(formatIp(parsed))).toEqual(parsed);
      }),
      { seed, numRuns: 5000 },
    );
  });

  it('print as RFC 5952', () => {
    const cases = {
      '2001:DB8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
      '2001:db8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
      '::': '::',
      '::1': '::1',
      '1::': '1::',
      '::ffff:10.1.2.3': '10.1.2.3',
      '10.1.2.3': '10.1.2.3',
    };
    for (const [text, canonical] of Object.entries(cases)) {
      expect(formatIp(parseIp(text)!)).toBe(canonical);
    }
  });

  it('make ranges of prefixes', () => {
    const range = (text: string) => {
      const { lower, upper } = parseCidr(text)!;
      return [formatIp(lower), formatIp(upper)];
    };
    expect(range('10.1.2.3/8')).toEqual(['10.0.0.0', '10.255.255.255']);
    expect(range('10.1.2.3/32')).toEqual(['10.1.2.3', '10.1.2.3']);
    expect(range('2001:db8::/33')).toEqual([
      '2001:db8::',
      '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff',
    ]);
    expect(range('0.0.0.0/0')).toEqual(['0.0.0.0', '255.255.255.255']);
    for (const bad of ['10.0.0.0', '10.0.0.0/33', '::/129', '::/-1', '::/01', '/8', 'x/8']) {
      expect(parseCidr(bad), bad).toBeNull();
    }
  });
});

describe('number and boolean values', () => {
  it('parse within their range', () => {
    expect(parseLong('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(parseLong('-9223372036854775808')).toBe(-(2n ** 63n));
    for (const bad of ['9223372036854775808', '1.0', '1e3', '', ' 1', '0x10', '--1']) {
      expect(parseLong(bad), bad).toBeNull();
    }
    expect(parseDouble('-2.5e-3')).toBe(-0.0025);
    expect(parseDouble('NaN')).toBeNaN();
    for (const bad of ['', '.', '1,5', '0x1', 'nan', '1e', '1e400', '-1e400'])
      expect(parseDouble(bad), bad).toBeNull();
    expect(parseFieldValue('BOOL', 'true')).toEqual({ kind: 'long', value: 1n });
    expect(parseFieldValue('BOOL', 'TRUE')).toEqual({ kind: 'long', value: 1n });
    expect(parseFieldValue('BOOL', 'yes')).toBeNull();
  });

  it('travel exactly', () => {
    expect(fieldValueToJson('LONG', 9_007_199_254_740_991n)).toBe(9_007_199_254_740_991);
    expect(fieldValueToJson('LONG', -9_007_199_254_740_992n)).toBe('-9007199254740992');
    expect(fieldValueToJson('DOUBLE', Number.NaN)).toBe('NaN');
    expect(fieldValueToJson('DATE', 0n)).toBe('1970-01-01T00:00:00.000000Z');
    expect(fieldValueToJson('BOOL', 1n)).toBe(true);
  });
});

describe('canonical texts of columns', () => {
  const cases: [Type, Value, string][] = [
    [{ kind: 'boolean' }, true, 'true'],
    [{ kind: 'int' }, -7, '-7'],
    [{ kind: 'long' }, 2n ** 60n, '1152921504606846976'],
    [{ kind: 'float' }, 0.5, '0.5'],
    [{ kind: 'double' }, -0, '-0'],
    [{ kind: 'date' }, -1, '1969-12-31'],
    [{ kind: 'date' }, 2_932_897, '+010000-01-01'],
    [{ kind: 'time' }, 86_399_999_999n, '23:59:59.999999'],
    [{ kind: 'timestamp' }, -1n, '1969-12-31T23:59:59.999999'],
    [{ kind: 'timestamptz' }, 0n, '1970-01-01T00:00:00.000000Z'],
    [{ kind: 'timestamp_ns' }, -1n, '1969-12-31T23:59:59.999999999'],
    [{ kind: 'decimal', precision: 9, scale: 2 }, -5n, '-0.05'],
    [{ kind: 'decimal', precision: 9, scale: 0 }, 12n, '12'],
    [{ kind: 'string' }, 'a\0\u{1f600}', 'a\0\u{1f600}'],
    [
      { kind: 'uuid' },
      'f79c3e09-677c-4bbd-a479-3f349cb785e7',
      'f79c3e09-677c-4bbd-a479-3f349cb785e7',
    ],
    [{ kind: 'binary' }, Uint8Array.of(1, 2, 255), 'AQL/'],
  ];
  it('are written and read back', () => {
    for (const [type, value, text] of cases) {
      expect(columnText(type, value)).toBe(text);
      expect(parseColumnText(type, text), text).toEqual(value);
    }
  });
  it('are the only spelling', () => {
    expect(parseColumnText({ kind: 'long' }, '007')).toBeNull();
    expect(parseColumnText({ kind: 'int' }, '2147483648')).toBeNull();
    expect(parseColumnText({ kind: 'date' }, '2025-11')).toBeNull();
    expect(parseColumnText({ kind: 'decimal', precision: 9, scale: 2 }, '1.5')).toBeNull();
    expect(parseColumnText({ kind: 'timestamp' }, '2025-11-03T00:00:00')).toBeNull();
  });
});

describe('variant leaves', () => {
  it('have one text a number', () => {
    expect(decimalText(-1500n, 3)).toBe('-1.5');
    expect(decimalText(0n, 4)).toBe('0');
    expect(decimalText(12n, 0)).toBe('12');
    expect(leafTexts('1.50')).toEqual(['1.50', '1.5']);
    expect(leafTexts('1e3')).toEqual(['1e3', '1000']);
    expect(leafTexts('007')).toEqual(['007', '7']);
    expect(leafTexts('push')).toEqual(['push']);
  });
});
