import { EventEmitter } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { Connection, type Exchange } from './connection.ts';

describe('a connection', () => {
  it('fails a request that its session refuses, and keeps no process alive for it', () => {
    let refs = 0;
    const session = Object.assign(new EventEmitter(), {
      ref: () => refs++,
      unref: () => {},
      request: () => {
        throw new Error('no more streams');
      },
    });
    const connection = new Connection(session as unknown as ClientHttp2Session, 'h:1', 60_000);
    const errors: unknown[] = [];
    const failed = (error: unknown) => errors.push(error);
    connection.request({}, Buffer.alloc(0), { failed } as unknown as Exchange)();
    expect(errors).toMatchObject([{ code: 'unreachable', details: { sent: false } }]);
    expect(refs).toBe(0);
    session.emit('close');
  });
});
