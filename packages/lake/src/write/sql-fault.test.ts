import { describe, expect, it } from 'vitest';
import { sqlFault } from './sql-fault.ts';

const MIB = 2 ** 20;
const faultOf = (message: string) => sqlFault(new Error(message), ['/in/rows.csv'], 256 * MIB);

describe('the error of a write without memory', () => {
  it.each([
    'Out of Memory Error: Allocation failure',
    'Out of Memory Error: Failed to allocate block of 32002048 bytes (bad allocation)',
    'libduckdb.so: failed to map segment from shared object',
  ])('names the system, not the file or the limit of the writer: %s', (message) => {
    const { reason, message: text } = faultOf(message);
    expect(reason).toBe('out_of_memory');
    expect(text).toContain('the system gives this process no more memory');
    expect(text).not.toMatch(/rows\.csv|256/);
  });

  it('names the file and the limit where the limit of the writer is too low', () => {
    const used = '(255.9 MiB/256.0 MiB used)';
    const fault = faultOf(`Out of Memory Error: failed to allocate data of size 1.0 MiB ${used}`);
    expect(fault).toMatchObject({ reason: 'out_of_memory' });
    expect(fault.message).toContain('writing "/in/rows.csv" needs more than 256 MiB');
  });
});

describe('the error of a row that is too large', () => {
  it('names the way out for a row that DuckDB does not read, not its setting', () => {
    const message =
      '"maximum_object_size" of 16777216 bytes exceeded while reading (>33554428 bytes)';
    expect(faultOf(`Invalid Input Error: ${message}`).message).toBe(
      'cannot read "/in/rows.csv": it has a row of more than 16 MiB; ' +
        'write its rows as NDJSON, one object per line',
    );
  });
});
