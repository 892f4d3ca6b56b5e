import { describe, expect, it } from 'vitest';
import { unreachable } from './unreachable.ts';

const hintOf = (reason: string, address = 'https://search.example') =>
  unreachable(address, reason, {}).hint;

describe('the hint of a connection that was not made', () => {
  it.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
    ['CERT_HAS_EXPIRED', 'renew it there, or correct the clock here'],
    ['CERT_NOT_YET_VALID', 'renew it there, or correct the clock here'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
    ['ECONNREFUSED', 'nothing listens there'],
  ])('fits %s', (reason, words) => {
    expect(hintOf(reason)).toContain(words);
  });

  it('names https where a port closes a connection without TLS, and no code', () => {
    const error = unreachable('http://search.example', 'UND_ERR_SOCKET', {});
    expect(error.hint).toContain('https://');
    expect(error.message).toBe(
      'cannot reach "http://search.example": the connection was closed without an answer',
    );
    expect(hintOf('UND_ERR_SOCKET')).toBeUndefined();
  });
});
