import { readFileSync } from 'node:fs';
import { LhsError, type NextStep } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../style.ts';
import { errorReport } from './error-report.ts';
import { nextCommand, nextSync } from './next-step.ts';

/** One of each step; a step that is added does not compile without a row. */
const STEPS: { readonly [S in NextStep['step']]: Extract<NextStep, { readonly step: S }> } = {
  create_index: { step: 'create_index' },
  list_indexes: { step: 'list_indexes' },
  describe_index: { step: 'describe_index', index: 'notes' },
  alter_index: { step: 'alter_index', index: 'i' },
  drop_index: { step: 'drop_index', index: 'notes' },
  leave_store: { step: 'leave_store', index: 'a' },
  reindex: { step: 'reindex', index: 'notes' },
  plan_build: { step: 'plan_build', index: 'notes' },
  sync: { step: 'sync', index: 'notes' },
  show_status: { step: 'show_status', index: 'notes' },
  repair: { step: 'repair', index: 'a' },
  compact: { step: 'compact', index: 'a' },
  backup: { step: 'backup', index: 'a' },
  show_job: { step: 'show_job', job: 'j' },
  validate_definition: { step: 'validate_definition' },
  list_snapshots: { step: 'list_snapshots' },
  list_aliases: { step: 'list_aliases' },
  drop_alias: { step: 'drop_alias', alias: 'other' },
  list_saved_queries: { step: 'list_saved_queries' },
  drop_saved_query: { step: 'drop_saved_query' },
  replace_saved_query: { step: 'replace_saved_query' },
  list_jobs: { step: 'list_jobs' },
  watch_job: { step: 'watch_job', job: '5f2c' },
  cancel_job: { step: 'cancel_job', job: '5f2c' },
  check_model: { step: 'check_model', model: './a model' },
  choose_data_folder: { step: 'choose_data_folder' },
};

const reported = (error: LhsError) => errorReport(error, styleFor({ color: false }), 80);

describe('the command of a next step', () => {
  it.each(Object.values(STEPS))('is one that exists: $step', (step) => {
    const [lhs, topic, verb] = nextCommand(step).split(' ');
    expect(lhs).toBe('lhs');
    const file = new URL(`../../commands/${topic}/${verb}.ts`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toContain('extends LhsCommand');
  });

  it('names the subject of the step, or a word for it', () => {
    expect(nextCommand({ step: 'reindex', index: 'notes' })).toBe('lhs index reindex notes');
    expect(nextCommand({ step: 'reindex' })).toBe('lhs index reindex INDEX');
    expect(nextSync({ index: 'notes' })).toBe('lhs index sync notes');
    const synced_by = 'control_plane';
    expect(nextSync({ index: 'notes', synced_by })).toBe('lhs index status notes');
    expect(nextCommand(STEPS.check_model)).toBe("lhs model check './a model'");
  });
});

describe('the report of an error with next steps', () => {
  it('has the hint, then a line that can be copied for each step', () => {
    const next = [STEPS.sync, STEPS.reindex];
    const error = new LhsError('limit_exceeded', 'too many', { hint: 'do one of these', next });
    expect(reported(error).lines).toEqual([
      'error: too many',
      '  do one of these',
      '  lhs index sync notes',
      '  lhs index reindex notes',
    ]);
    expect(reported(error).body).toMatchObject({
      error: { details: { hint: 'do one of these', next } },
    });
  });

  it('has no line and no field for steps that are not there', () => {
    const { lines, body } = reported(new LhsError('internal', 'odd'));
    expect(lines).toEqual(['error: odd']);
    expect(body).toMatchObject({ error: { details: {} } });
    expect(JSON.stringify(body)).not.toContain('next');
  });
});
