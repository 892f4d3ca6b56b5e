import type { SourceState } from '@lakehouse-search/contract';
import type { TypedBatch } from '@lakehouse-search/contract/internal';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../base/limits.ts';
import type { Checkpoint } from '../../index/commits/commit.ts';
import { checkpointAt } from '../source-state.ts';
import { judgeBatch } from './batch-rule.ts';

const state = (snapshot_id: string | null): SourceState => {
  return { snapshot_id, sequence: '1', schema: { 'schema-id': 4 }, files: [] };
};
const batch = (from: string | null, to: string | null, table_uuid = 'u'): TypedBatch => {
  return { table_uuid, from, to: state(to), parts: [] };
};

/** The checkpoint after a list of snapshots. */
function after(...ids: (string | null)[]): Checkpoint {
  let checkpoint: Checkpoint | null = null;
  for (const id of ids) checkpoint = checkpointAt('u', state(id), checkpoint);
  return checkpoint!;
}

const verdict = (checkpoint: Checkpoint, from: string | null, to: string | null) => {
  try {
    return judgeBatch(checkpoint, batch(from, to), 't');
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the rule of change batches', () => {
  test('applies (from, to] to the checkpoint', () => {
    const checkpoint = after('1', '2', '3');
    expect(checkpoint.applied).toEqual(['2', '1']);
    expect(verdict(checkpoint, '3', '4')).toBe('apply');
    expect(verdict(checkpoint, '3', '1')).toBe('apply');
    expect(verdict(checkpoint, '2', '3')).toBe('applied');
    expect(verdict(checkpoint, '9', '3')).toBe('applied');
    expect(verdict(checkpoint, '1', '2')).toBe('applied');
    expect(verdict(checkpoint, '2', '4')).toBe('checkpoint_gap');
    expect(verdict(checkpoint, null, '4')).toBe('checkpoint_gap');
    expect(verdict(after(null), null, '1')).toBe('apply');
    expect(verdict(after('1', null), '1', null)).toBe('applied');
    expect(verdict(after(null, '1'), '0', null)).toBe('checkpoint_gap');
    expect(() => judgeBatch(checkpoint, batch('3', '4', 'other'), 't')).toThrow(
      'the batch is of the table other, index "t" follows u',
    );
  });

  test('remembers each snapshot once, latest first, up to the limit', () => {
    expect(after('1', '2', '1', '3').applied).toEqual(['1', '2']);
    expect(after('1', null, '2').applied).toEqual(['1']);
    const many = Array.from({ length: LIMITS.appliedSnapshots + 50 }, (_, i) => String(i));
    const { applied = [], schema_id } = after(...many);
    expect(applied).toHaveLength(LIMITS.appliedSnapshots);
    expect(applied[0]).toBe(many.at(-2));
    expect(schema_id).toBe(4);
  });
});
