import { describe, expect, it } from 'vitest';
import { errorOf } from './error-detail.ts';

describe('an error that a service answers', () => {
  it('does not say that the request was not sent: one of the service itself was not', () => {
    const details = { sent: false, snapshot: '1' };
    const error = errorOf({ code: 'unreachable', status: 503, message: 'a node is away', details });
    expect(error.details).toEqual({ snapshot: '1' });
  });
});
