import type { Operation } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { openLogs } from './call-logs.ts';

/** The operations whose calls the audit log has. */
function audited(...operations: Operation[]): readonly string[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { observer } = openLogs({ level: 'silent', access: false, destination });
  for (const operation of operations) {
    const call = { request_id: 'r', remote: '::1', transport: 'rest', trace_id: 't' } as const;
    const own = { ...call, span_id: 's', operation, subject: 'ann', status: 200, micros: 1 };
    observer.ended({ ...own, bytes_in: 0, bytes_out: 0 });
  }
  return lines.map((line) => JSON.parse(line).operation);
}

describe('the audit log', () => {
  it('has calls that change what is of their callers alone', () => {
    const own = ['createSavedQuery', 'replaceSavedQuery', 'deleteSavedQuery'] as const;
    const all = [...own, 'openPit', 'closePit'] as const;
    expect(audited(...all)).toEqual(all);
  });

  it('has no reads', () => {
    expect(audited('search', 'listSavedQueries', 'status')).toEqual([]);
  });
});

describe('the access log', () => {
  it('says what caused an error, and what caused that', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const { observer, logger } = openLogs({ level: 'info', access: true, destination });
    const root = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    const cause = new RangeError('Invalid time value', { cause: root });
    const call = { request_id: 'r', remote: '::1', transport: 'rest', trace_id: 't' } as const;
    const record = { ...call, span_id: 's', status: 500, micros: 1, bytes_in: 0, bytes_out: 0 };
    observer.ended({ ...record, code: 'internal', cause });
    logger.error({ err: cause }, 'failed');
    const shown = {
      type: 'RangeError',
      message: 'Invalid time value',
      stack: expect.stringContaining('call-logs.test'),
      cause: { message: 'no such file', code: 'ENOENT' },
    };
    const [access, own] = lines.map((line) => JSON.parse(line));
    expect(access).toMatchObject({ code: 'internal', cause: shown });
    expect(own.err).toMatchObject(shown);
  });
});
