import { describe, expect, it } from 'vitest';
import { plainValues } from './plain-rows.ts';

describe('rows without a column', () => {
  it('are null there, whatever the column is called', () => {
    const names = ['id', 'constructor', '__proto__'];
    const fields = names.map((name, i) => {
      return { id: i + 1, name, required: false, type: { kind: 'string' as const } };
    });
    const full = Object.fromEntries(names.map((name) => [name, `its ${name}`]));
    expect(plainValues([{ id: 'a' }, full], { fields })?.columns).toEqual([
      ['a', 'its id'],
      [null, 'its constructor'],
      [null, 'its __proto__'],
    ]);
  });
});
