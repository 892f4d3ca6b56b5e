/** Nodes and gateways of versions whose reads have other bytes: each says so by name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { NODE_METHODS, openChannel } from '@lakehouse-search/client/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectNode } from '../src/cluster/node-client.ts';
import { PROTOCOL } from '../src/cluster/node-wire.ts';
import { type RunningNode, serveNode } from '../src/serve/serve-node.ts';
import { serverOptions } from '../src/serve/server-options.ts';

/** A read of the commit `u.1.1` of `notes`, as gateways send it; without a number, as they did. */
const FORMER = '0a056e6f7465731205752e312e31220a73746174697374696373';
const NOW = `${FORMER}30${PROTOCOL.toString(16).padStart(2, '0')}`;
const READ = { index: 'notes', commit: 'u.1.1', operation: 'statistics' } as const;
const { read } = NODE_METHODS;

describe('the protocol of reads between gateways and nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-protocol-'));
  let node: RunningNode;
  beforeAll(async () => {
    const values = { addr: '127.0.0.1:0', threads: 0, 'log.level': 'silent' } as const;
    node = await serveNode({
      options: serverOptions(values, {}, folder),
      cluster: { nodes: [], takes: [] },
    });
  });
  afterAll(async () => {
    await node.stop();
    rmSync(folder, { recursive: true });
  });

  const send = async (hex: string) => {
    const channel = openChannel(node.grpc, false);
    try {
      return await channel.call(read.path, Buffer.from(hex, 'hex'), { authorization: undefined });
    } finally {
      channel.close();
    }
  };

  it('has these bytes: others need another number', () => {
    const request = create(read.input, { ...READ, protocol: PROTOCOL });
    expect(Buffer.from(toBinary(read.input, request)).toString('hex')).toBe(NOW);
    expect(fromBinary(read.input, Buffer.from(FORMER, 'hex'))).toMatchObject(READ);
  });

  it('has a node that refuses a gateway with other bytes', async () => {
    await expect(send(FORMER)).rejects.toMatchObject({
      code: 'unreachable',
      message: `the gateway has version 0 of the node protocol, not ${PROTOCOL}`,
      hint: 'run the same version of lhs on all gateways and nodes',
    });
    expect(fromBinary(read.output, await send(NOW)).protocol).toBe(PROTOCOL);
  });

  it('has a gateway for which a node with other bytes is away', async () => {
    const server = new Server();
    const bytes = (value: Buffer) => value;
    const method = {
      ...{ path: read.path, requestStream: false, responseStream: false },
      ...{ requestSerialize: bytes, requestDeserialize: bytes },
      ...{ responseSerialize: bytes, responseDeserialize: bytes },
    };
    const answer = Buffer.from(
      toBinary(read.output, create(read.output, { answer: Uint8Array.of(1) })),
    );
    const answered: handleUnaryCall<Buffer, Buffer> = (_, callback) => callback(null, answer);
    server.addService({ Read: method }, { Read: answered });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
        error === null ? resolve(at) : reject(error),
      );
    });
    const former = connectNode(`127.0.0.1:${port}`);
    try {
      const request = { ...READ, shard: 0, request: new Uint8Array() };
      await expect(former.read(request)).rejects.toMatchObject({
        code: 'unreachable', // as a node that is away
        message: `node 127.0.0.1:${port} has version 0 of the node protocol, not ${PROTOCOL}`,
      });
    } finally {
      await former.close();
      server.forceShutdown();
    }
  });
});
