/**
 * A node for tests of the control plane: a LocalEngine behind the gRPC services of a node. It
 * registers as a node does. Its shards hold what a connector sends; a build takes over what is
 * live, and can be held at each of its steps.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { NODE_METHODS } from '@lakehouse-search/client/internal';
import { LhsError, type Principal } from '@lakehouse-search/contract';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import type { Access } from '../../src/access/access.ts';
import { Calls } from '../../src/calls/calls.ts';
import { readNodeCall } from '../../src/cluster/cluster-token.ts';
import type { NodeCommit, NodeIndex, NodeState } from '../../src/cluster/node-state.ts';
import { messageOfState } from '../../src/cluster/node-wire.ts';
import type { Registrar } from '../../src/cluster/registrar.ts';
import { createGrpc } from '../../src/grpc/grpc-server.ts';
import { statusOf } from '../../src/grpc/status-of.ts';
import { fencedOff } from '../../src/store/leases.ts';

/** The key of all clusters in tests. */
export const CLUSTER_KEY = 'a key for tests only';

/** Where a build waits. */
export type Hold = 'building' | 'promoting' | null;

const HEARTBEAT_MS = 100;
/** Commits that a node keeps open. */
const OPEN_COMMITS = 3;
const same = (bytes: Buffer): Buffer => bytes;

/** A node that listens and sends heartbeats. */
export class StandInNode {
  readonly name: string;
  readonly backend: LocalEngine;
  /** Generations that are built and not promoted. */
  readonly staged = new Set<number>();
  /** Batches that were refused because their epoch was old. */
  refused = 0;
  hold: Hold = null;
  /** Its disk has no room for a build. */
  isFull = false;
  /** Builds and promotions that wait now. */
  waiting = 0;
  address = '';
  readonly #folder: string;
  readonly #ordinals = new Map<string, readonly number[]>();
  readonly #commits = new Map<string, NodeCommit[]>();
  readonly #epochs = new Map<string, number>();
  readonly #definitions = new Map<string, string>();
  #server: Server | undefined;
  #registrar: Registrar | undefined;
  #beating: Promise<void> = Promise.resolve();
  #stopped = false;
  #generation = 0;

  private constructor(name: string, folder: string, backend: LocalEngine) {
    this.name = name;
    this.#folder = folder;
    this.backend = backend;
  }

  static async start(name: string): Promise<StandInNode> {
    const folder = mkdtempSync(join(tmpdir(), `lhs-node-${name}-`));
    const node = new StandInNode(
      name,
      folder,
      await openEngine(folder, { create: true, threads: 0 }),
    );
    await node.#listen();
    return node;
  }

  /** Begins heartbeats. */
  join(registrar: Registrar): void {
    this.#registrar = registrar;
    this.#stopped = false;
    this.#beating = this.#beat(registrar);
  }

  /** Ends the lease; the node goes on to answer. */
  async leave(): Promise<void> {
    this.#stopped = true;
    await this.#beating;
    await this.#registrar?.leave(this.address, await this.state()).catch(() => {});
    await this.#registrar?.close();
    this.#registrar = undefined;
  }

  async close(): Promise<void> {
    await this.leave();
    this.#server?.forceShutdown();
    await this.backend.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the node holds now. */
  async state(): Promise<NodeState> {
    const indexes = await Promise.all([...this.#ordinals.keys()].map((index) => this.#own(index)));
    return { node: this.name, indexes, free_bytes: 1, takes: [], followed: [] } as NodeState;
  }

  /** Documents of an index, as `[id, title]`. */
  async documents(index: string): Promise<(readonly [number, unknown])[]> {
    const documents: (readonly [number, unknown])[] = [];
    for await (const { fields } of this.backend.exportDocuments({ index })) {
      documents.push([Number(fields.id), fields.title]);
    }
    return documents;
  }

  async #own(index: string): Promise<NodeIndex> {
    const description = await this.backend.describeIndex({ index });
    const commits = this.#commits.get(index) ?? [];
    if (description.status === 'live') {
      const { sequence, snapshot_id: snapshot } = await this.backend.getCheckpoint({ index });
      const definition = JSON.stringify(description.fields);
      const [last] = commits;
      const generation = this.#generation;
      const isNew = last?.snapshot !== snapshot || last.definition !== definition;
      if (last === undefined || isNew || last.generation !== generation) {
        const commit = `${this.name}.${generation}.${commits.length}`;
        const docs = description.num_docs;
        const sizes = (this.#ordinals.get(index) ?? []).map((shard, i) => {
          return i === 0 ? { shard, docs, bytes: docs } : { shard, docs: 0, bytes: 0 };
        });
        const counts = { docs, bytes: docs, sizes };
        const age_ms = 0;
        commits.unshift({ commit, snapshot, sequence, generation, ...counts, age_ms, definition });
      }
    }
    this.#commits.set(index, commits);
    return {
      ...{ index, uuid: index, definition_version: 1, aliases: [], copies: 0 },
      shards: this.#shards(index),
      ordinals: this.#ordinals.get(index) ?? [],
      epoch: this.#epochs.get(index) ?? 0,
      commits: commits.slice(0, OPEN_COMMITS),
    };
  }

  #shards(index: string): number {
    const [, shards] = /shards: (\d+)/.exec(this.#definitions.get(index) ?? '') ?? [];
    return Number(shards ?? 1);
  }

  async #beat(registrar: Registrar): Promise<void> {
    while (!this.#stopped) {
      await registrar.register(this.address, await this.state()).then(
        async ({ assignments }) => {
          for (const { index, definition, ordinals } of assignments) {
            if (!this.#ordinals.has(index)) await this.backend.createIndex({ definition });
            this.#definitions.set(index, definition);
            this.#ordinals.set(index, ordinals);
          }
        },
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_MS));
    }
  }

  async #listen(): Promise<void> {
    const calls = new Calls({ backend: this.backend, access: this.#access() });
    const { server } = await createGrpc(calls);
    const { state, build, endBuild } = NODE_METHODS;
    const method = ({ path }: { readonly path: string }, responseStream = false) => ({
      ...{ path, requestStream: false, responseStream },
      ...{ requestSerialize: same, requestDeserialize: same },
      ...{ responseSerialize: same, responseDeserialize: same },
    });
    const definition = {
      GetState: method(state),
      Build: method(build, true),
      EndBuild: method(endBuild),
    };
    server.addService(definition, {
      GetState: (_: unknown, done: sendUnaryData<Buffer>) => {
        this.state().then(
          (own) => done(null, Buffer.from(toBinary(state.output, messageOfState(own)))),
          (error: unknown) => done(statusOf(error)),
        );
      },
      Build: (call: ServerWritableStream<Buffer, Buffer>) => void this.#build(call),
      EndBuild: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        this.#endBuild(call).then(
          () => done(null, Buffer.from(toBinary(endBuild.output, create(endBuild.output)))),
          (error: unknown) => done(statusOf(error)),
        );
      },
    } as UntypedServiceImplementation);
    this.#server = server;
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    this.address = `127.0.0.1:${port}`;
  }

  async #build(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
    const { build } = NODE_METHODS;
    const { snapshot } = fromBinary(build.input, call.request);
    const send = (event: object) =>
      call.write(Buffer.from(toBinary(build.output, create(build.output, event))));
    const shown = { phase: 'reading', docs_done: 1, docs_total: 2 };
    if (this.isFull) {
      call.emit('error', statusOf(new LhsError('disk_short', 'the disk is too full')));
      return;
    }
    send({ progress: JSON.stringify(shown) });
    await this.#held('building', call);
    if (call.cancelled) return;
    const generation = this.#generation + this.staged.size + 1;
    this.staged.add(generation);
    // the stream stays open: a break before the end of the build discards it
    call.on('cancelled', () => this.staged.delete(generation));
    send({ staged: { generation, docs: 0n, ...(snapshot === undefined ? {} : { snapshot }) } });
  }

  async #endBuild(call: ServerUnaryCall<Buffer, Buffer>): Promise<void> {
    const request = fromBinary(NODE_METHODS.endBuild.input, call.request);
    const { index, generation, promote } = request;
    if (!promote) {
      this.staged.delete(generation);
      return;
    }
    await this.#held('promoting', call);
    if (call.cancelled || !this.staged.delete(generation)) return;
    const { status } = await this.backend.describeIndex({ index });
    if (status === 'created') await this.backend.reindex({ index });
    this.#generation = generation;
  }

  /** Waits while the test holds this step and the caller is connected. */
  async #held(step: Hold, call: { readonly cancelled: boolean }): Promise<void> {
    this.waiting++;
    while (this.hold === step && !call.cancelled) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.waiting--;
  }

  #access(): Access {
    const epochs = new WeakMap<Principal, number>();
    return {
      authenticate: (authorization) => {
        const { epoch } = readNodeCall(CLUSTER_KEY, authorization);
        const principal: Principal = { subject: 'cluster', scopes: ['search', 'ops', 'admin'] };
        if (epoch !== undefined) epochs.set(principal, epoch);
        return principal;
      },
      authorize: (principal, operation, index = '') => {
        const epoch = principal === undefined ? undefined : epochs.get(principal);
        if (operation !== 'applyBatch') return;
        const newest = this.#epochs.get(index) ?? 0;
        if (epoch === undefined || epoch < newest) {
          this.refused++;
          throw fencedOff(`connector/${index}`, epoch ?? 0);
        }
        this.#epochs.set(index, epoch);
      },
    };
  }
}
