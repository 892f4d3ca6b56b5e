import type { AlterPlan, Json } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { alterLines } from './alter-lines.ts';

describe('the lines of a plan', () => {
  it('have a field as the settings that it has, and cut long texts only', () => {
    const field = {
      ...{ cached: false, fast: true, indexed: true, name: 'rank', source: ['rank'] },
      type: 'LONG',
    };
    const lineOf = (to: Json) => {
      const change = { setting: 'fields.rank', from: null, to, strategy: 'field', reason: 'why' };
      const plan = { index: 'i', is_noop: false, changes: [change], generation: 0 };
      return alterLines(plan as unknown as AlterPlan, 200)[0];
    };
    expect(lineOf(field)).toBe(
      'field    fields.rank: none → fast, indexed, name rank, source rank, type LONG (why)',
    );
    expect(lineOf('x'.repeat(50))).toBe(`field    fields.rank: none → ${'x'.repeat(39)}… (why)`);
  });
});
