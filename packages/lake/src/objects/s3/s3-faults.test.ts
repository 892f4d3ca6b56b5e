import { describe, expect, it } from 'vitest';
import { S3_FAULTS, s3Fault } from './s3-faults.ts';

describe('an answer of S3 that is damaged on the way', () => {
  const message = 'mismatched tags\n  Deserialization error: to see the raw response, inspect it';
  const error = Object.assign(new Error(`@aws-sdk XML parse error: ${message}`), {
    $metadata: { httpStatusCode: 200 },
  });

  it('is asked for again, and reported without words of the SDK', () => {
    expect(S3_FAULTS.kindOf(error)).toBe('passing');
    const place = { bucket: 'b', key: '', endpoint: 'http://s3', region: 'eu' };
    const fault = s3Fault(error, place);
    expect([fault.reason, fault.message]).toEqual([
      'storage_unreachable',
      '"s3://b" at http://s3: its answer cannot be read: it was damaged on the way',
    ]);
  });
});
