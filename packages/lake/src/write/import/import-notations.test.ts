import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';

/** Numbers with currencies, percents and separators; yes and no; lists that are no decimals. */
const { file, imported } = importFolder('notations');

const csv = (name: string, ...values: readonly string[]) =>
  file(name, ['id,v', ...values.map((value, i) => `${i},"${value}"`), ''].join('\n'));

describe('a column of texts in a notation', () => {
  it.each([
    ['dollars', ['$5.00', '$1,234.50', '-$3', '$ 7'], 'double', [5, 1234.5, -3, 7]],
    ['euros', ['5.25 €', '10€', '1,000 €', '7 €'], 'double', [5.25, 10, 1000, 7]],
    ['percents', ['5%', '12.5 %', '-3%', '100%'], 'double', [5, 12.5, -3, 100]],
    [
      'separators',
      ['1,234.50', '12,345,678.00', '7.25', '9'],
      'double',
      [1234.5, 12_345_678, 7.25, 9],
    ],
    ['changes', ['+3', '-2.1', '0', '+12.5'], 'double', [3, -2.1, 0, 12.5]],
    ['answers', ['yes', 'no', 'Y', 'n'], 'boolean', [true, false, true, false]],
  ] as const)('of %s is named with its type, and read by it', async (name, values, type, read) => {
    const path = csv(`${name}.csv`, ...values);
    const { types, notes } = await imported(path);
    expect(types.v).toBe('string');
    expect(notes).toMatchObject([{ note: 'nearly_typed', column: 'v', type, fitting: 4 }]);
    const typed = await imported(path, { types: { v: type } });
    expect(typed.rows.map(([, value]) => value)).toEqual(read);
  });

  it('has its exceptions beside its type', async () => {
    const path = csv('some.csv', '$1', '$2', '$3', '$4', 'n/a');
    const { notes } = await imported(path);
    expect(notes).toMatchObject([{ type: 'double', fitting: 4, exceptions: ['n/a'] }]);
    const typed = await imported(path, { types: { v: 'decimal(9, 2)' }, nulls: ['n/a'] });
    expect(typed.rows.map(([, value]) => value)).toEqual(['1.00', '2.00', '3.00', '4.00', null]);
    await expect(imported(path, { types: { v: 'double' } })).rejects.toThrow(/not "n\/a"/);
  });

  it('that may be decimals or thousands is named with both', async () => {
    const { notes } = await imported(csv('either.csv', '1,234', '5,678', '9,000'));
    expect(notes).toMatchObject([{ decimal: ',', type: 'double' }]);
  });

  it('with marks and a decimal comma is read with both options', async () => {
    const path = csv('comma.csv', '1.234,50 €', '7,25 €', '€ 3');
    const typed = await imported(path, { types: { v: 'double' }, decimal: ',' });
    expect(typed.rows.map(([, value]) => value)).toEqual([1234.5, 7.25, 3]);
  });

  it('that has lists, codes or texts is not named', async () => {
    for (const values of [
      ['1,2', '3,4', '5,6', '1,2,3', '7,8'],
      ['007', '012', '001', '100'],
      ['1,23,4', '2,34,5', '3,45,6'],
      ['+4930123456', '+4930654321', '+4989111111'],
      ['yes', 'no', 'maybe', 'perhaps', 'never'],
    ]) {
      const { types, notes } = await imported(csv('none.csv', ...values));
      expect(types.v).toBe('string');
      expect(notes).toEqual([]);
    }
    await expect(imported(csv('odd.csv', '12,34'), { types: { v: 'long' } })).rejects.toThrow(
      /expects long, not "12,34"/,
    );
  });

  it('of dates without separators is a number, which is named with their format', async () => {
    const path = csv('dates.csv', '20240131', '19991231');
    const dates = file('days.csv', 'date,id\n20240131,20240131\n19991231,20240132\n');
    const { types, notes } = await imported(dates);
    expect(types).toEqual({ date: 'long', id: 'long' });
    expect(notes).toMatchObject([{ column: 'date', kind: 'date', dateFormats: ['%Y%m%d'] }]);
    const typed = await imported(dates, { dateFormats: ['%Y%m%d'] });
    expect(typed.types).toEqual({ date: 'date', id: 'long' });
    const rows = [
      ['2024-01-31', 20_240_131],
      ['1999-12-31', 20_240_132],
    ];
    expect(typed.rows).toEqual(rows);
    const figures = file('figures.csv', 'a;b\n2933121;20240131\n5304218;1,5\n');
    const options = { dateFormats: ['%Y%m%d'], decimal: ',', delimiter: ';' } as const;
    expect((await imported(figures, options)).rows).toEqual([
      [2_933_121, 20_240_131],
      [5_304_218, 1.5],
    ]);
    expect((await imported(path)).notes).toEqual([]);
    const wrong = file('wrong.csv', 'date,id\n20240131,1\n20240230,2\n');
    expect((await imported(wrong)).notes).toEqual([]);
  });

  it('of whole numbers is refused if a floating-point number would change one', async () => {
    const double = (...values: string[]) =>
      imported(csv('whole.csv', ...values), { types: { v: 'double' } });
    const kept = ['9007199254740992', '-9007199254740994', '36028797018963970', '1', '0.1', '1e30'];
    const { rows } = await double(...kept);
    expect(rows.map((row) => row.at(-1))).toEqual(kept.map(Number));
    for (const lost of ['9007199254740993', '12345678901234567890'])
      await expect(double('1.5', lost)).rejects.toThrow(`line 3: column "v" expects double`);
    await expect(imported(csv('float.csv', '16777217'), { types: { v: 'float' } })).rejects.toThrow(
      'expects float, not "16777217"',
    );
  });
});
