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

describe('an answer of a server that names no header for its reason', () => {
  const place = { bucket: 'b', key: '', endpoint: 'http://s3', region: 'eu-north-1' };
  const faultOf = (name: string, message: string, httpStatusCode: number) =>
    s3Fault(Object.assign(new Error(message), { name, $metadata: { httpStatusCode } }), place);

  it('tells the region that it expects', () => {
    const message = 'the region "eu-north-1" is wrong; expecting "us-east-1"';
    const fault = faultOf('AuthorizationHeaderMalformed', message, 400);
    expect(fault.code).toBe('invalid_argument');
    expect(fault.message).toContain('set AWS_REGION=us-east-1');
  });

  it('tells that it does not know the access key', () => {
    const fault = faultOf('XAdminUserNotFound', 'No user exists', 404);
    expect(fault.code).toBe('permission_denied');
    expect(fault.message).toContain('the access key is not known to the server');
  });
});
