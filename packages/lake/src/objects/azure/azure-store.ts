import { eachOf } from '../../base/each-of.ts';
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { createSecrets, type Secrets } from '../../base/secrets.ts';
import type { Buckets, FileAccess } from '../buckets.ts';
import type {
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectParts,
  ObjectStore,
  PutOptions,
} from '../object-store.ts';
import { readBody, StoreRequests, type StoreResult } from '../store-requests.ts';
import {
  answered,
  eachEntry,
  type ListPage,
  ownObject,
  partOffsets,
  withParts,
} from '../store-writes.ts';
import { AZURE_FAULTS, azureFault } from './azure-faults.ts';
import {
  type AzureAnswer,
  type AzureContainer,
  type AzureOptions,
  type AzurePage,
  loadAzure,
  loadIdentity,
} from './azure-sdk.ts';
import { type AzureSettings, azureSettings } from './azure-settings.ts';

/** The containers of Azure accounts. Throws invalid_argument, path_refused for wrong settings. */
export function azureBuckets({ env = process.env, vended = null }: FileAccess): Buckets {
  const requests = new StoreRequests(AZURE_FAULTS);
  const containers = new Map<string, Container>();
  const containerOf = (name: string): Container => {
    const known = containers.get(name);
    if (known !== undefined) return known;
    const made = new Container(requests, name, azureSettings(name, env, vended));
    containers.set(name, made);
    return made;
  };
  return Object.freeze({
    endpoint: 'Azure Blob Storage',
    bucket: (name: string, prefix = '') => new AzureStore(containerOf(name), prefix),
  });
}

/** A container, whose client is made at the first request. */
class Container {
  readonly #requests: StoreRequests;
  readonly #name: string;
  readonly #settings: AzureSettings;
  readonly #secrets: Secrets = createSecrets();
  #client: Promise<AzureContainer> | null = null;

  constructor(requests: StoreRequests, name: string, settings: AzureSettings) {
    this.#requests = requests;
    this.#name = name;
    this.#settings = settings;
    const { access } = settings;
    if (access.kind === 'key') this.#secrets.add(access.key);
    if (access.kind === 'sas') this.#secrets.add(access.sas);
    if (access.kind === 'connection') this.#secrets.add(access.text);
  }

  /** Sends a request about `key` until it is answered. */
  send<T>(
    key: string,
    signal: AbortSignal | undefined,
    work: (container: AzureContainer, signal: AbortSignal) => Promise<T>,
  ): Promise<StoreResult<T>> {
    return this.#requests.send({
      signal,
      attempt: async (stop) => work(await this.#connected(), stop),
      fault: (error) => this.fault(error, key),
    });
  }

  /** The error of a request about `key`, without secrets. */
  fault(error: unknown, key: string): unknown {
    return this.#secrets.masked(azureFault(error, this.#object(key), this.#settings.account));
  }

  /** The error of an answer about `key` that cannot be used. */
  refusal(what: string, key: string): LakeError {
    const file = this.#object(key);
    const message = `"${file}" of account "${this.#settings.account}": ${what}`;
    return new LakeError('internal', message, { file });
  }

  #object(key: string): string {
    return `${this.#name.includes('@') ? 'abfss' : 'az'}://${this.#name}/${key}`;
  }

  #connected(): Promise<AzureContainer> {
    this.#client ??= connect(this.#settings).catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }
}

async function connect({ container, account, access }: AzureSettings): Promise<AzureContainer> {
  const { BlobServiceClient, StorageSharedKeyCredential } = await loadAzure();
  // attempts are ours: each request is sent once
  const options = { retryOptions: { maxTries: 1 } };
  const service = async () => {
    switch (access.kind) {
      case 'connection':
        return BlobServiceClient.fromConnectionString(access.text, options);
      case 'key': {
        const signs = new StorageSharedKeyCredential(account, access.key);
        return new BlobServiceClient(access.url, signs, options);
      }
      case 'sas': {
        const url = `${access.url}/?${access.sas.replace(/^\?/, '')}`;
        return new BlobServiceClient(url, undefined, options);
      }
      case 'identity': {
        const { DefaultAzureCredential } = await loadIdentity();
        return new BlobServiceClient(access.url, new DefaultAzureCredential(), options);
      }
    }
  };
  return (await service()).getContainerClient(container);
}

/** A container, or the part of it below `prefix` (empty, or ending in a slash). */
class AzureStore implements ObjectStore {
  readonly #container: Container;
  readonly #prefix: string;

  constructor(container: Container, prefix: string) {
    this.#container = container;
    this.#prefix = prefix;
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | null> {
    const result = await this.#container.send(this.#prefix + key, signal, async (all, stop) =>
      infoOf(key, await this.#blob(all, key).getProperties({ abortSignal: stop })),
    );
    if (result.kind !== 'refused') return result.kind === 'done' ? result.value : null;
    return this.#answer(result, key);
  }

  /** The end of an object takes two requests: the service has no ranges that count from it. */
  async get(key: string, options: GetOptions = {}): Promise<GotObject | 'missing' | 'changed'> {
    const { span, signal, maxBytes = LIMITS.manifestBytes } = options;
    if (span === undefined) return this.#range(key, 0, undefined, { ...options, maxBytes });
    if ('offset' in span) {
      return this.#range(key, span.offset, span.length, { ...options, maxBytes: span.length });
    }
    const info = await this.head(key, signal);
    if (info === null) return 'missing';
    if (options.etag !== undefined && options.etag !== info.etag) return 'changed';
    const length = Math.min(span.suffix, info.size);
    const tail = { ...options, etag: info.etag, maxBytes: length };
    return this.#range(key, info.size - length, length === 0 ? undefined : length, tail);
  }

  async put(
    key: string,
    body: ObjectBody,
    options: PutOptions = {},
  ): Promise<ObjectInfo | 'refused'> {
    if (!(body instanceof Uint8Array)) {
      return withParts(body, async (parts) => {
        if (parts.size > 2 * LIMITS.storePartBytes) return this.#putParts(key, parts, options);
        return this.put(key, await parts.read(0, parts.size), options);
      });
    }
    const result = await this.#container.send(
      this.#prefix + key,
      options.signal,
      async (all, stop) => {
        const conditions = conditionsOf(options, stop);
        const answer = await this.#blob(all, key).upload(body, body.length, conditions);
        return { ...infoOf(key, answer), size: body.length };
      },
    );
    if (result.kind !== 'refused') return this.#answer(result, key);
    return result.retried ? await ownObject(this, key, body, options) : 'refused';
  }

  list(prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    return eachEntry(
      async (token) => {
        const result = await this.#container.send(
          this.#prefix + prefix,
          options.signal,
          async (all, stop) => {
            const at = { abortSignal: stop, prefix: this.#prefix + prefix };
            const pages = options.oneLevel
              ? all.listBlobsByHierarchy('/', at)
              : all.listBlobsFlat(at);
            return (await pages.byPage({ continuationToken: token }).next()).value as AzurePage;
          },
        );
        return this.#entries(this.#answer(result, prefix));
      },
      (what) => this.#fault(what, prefix),
    );
  }

  async delete(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    await eachOf(keys, LIMITS.storeRequests, async (key) => {
      const result = await this.#container.send(this.#prefix + key, signal, (all, stop) =>
        this.#blob(all, key).deleteIfExists({ abortSignal: stop }),
      );
      if (result.kind === 'refused') this.#answer(result, key);
    });
  }

  /** Blocks that were not committed are deleted by the service after a week. */
  async sweep(): Promise<void> {}

  #blob(all: AzureContainer, key: string) {
    return all.getBlockBlobClient(this.#prefix + key);
  }

  async #range(
    key: string,
    offset: number,
    length: number | undefined,
    { etag, signal, maxBytes }: GetOptions & { readonly maxBytes: number },
  ): Promise<GotObject | 'missing' | 'changed'> {
    const result = await this.#container.send(this.#prefix + key, signal, async (all, stop) => {
      const conditions = etag === undefined ? {} : { conditions: { ifMatch: etag } };
      const at = { abortSignal: stop, ...conditions };
      const answer = await this.#blob(all, key).download(offset, length, at);
      const { readableStreamBody: chunks, contentLength: announced } = answer;
      const bytes =
        chunks === undefined
          ? Buffer.alloc(0)
          : await readBody({ chunks, announced }, maxBytes, stop);
      const whole = /\/(\d+)$/.exec(answer.contentRange ?? '')?.[1];
      const size = whole === undefined ? bytes.length : Number(whole);
      return { ...infoOf(key, answer), size, offset, bytes };
    });
    if (result.kind === 'done') return result.value;
    return result.kind === 'missing' ? 'missing' : 'changed';
  }

  async #putParts(
    key: string,
    { size, read }: ObjectParts,
    options: PutOptions,
  ): Promise<ObjectInfo | 'refused'> {
    const { signal } = options;
    const bytes = Math.max(LIMITS.storePartBytes, Math.ceil(size / MOST_BLOCKS));
    const upload = crypto.randomUUID();
    const ids = await eachOf(partOffsets(size, bytes), LIMITS.storePartsAtOnce, async (offset) => {
      const body = await read(offset, Math.min(bytes, size - offset));
      const id = Buffer.from(`${upload}-${String(offset / bytes).padStart(6, '0')}`);
      const sent = await this.#container.send(this.#prefix + key, signal, (all, stop) =>
        this.#blob(all, key).stageBlock(id.toString('base64'), body, body.length, {
          abortSignal: stop,
        }),
      );
      this.#answer(sent, key);
      return id.toString('base64');
    });
    const result = await this.#container.send(this.#prefix + key, signal, async (all, stop) => {
      const answer = await this.#blob(all, key).commitBlockList(ids, conditionsOf(options, stop));
      return { ...infoOf(key, answer), size };
    });
    if (result.kind !== 'refused') return this.#answer(result, key);
    return result.retried ? await this.#ownBlocks(key, ids, signal) : 'refused';
  }

  /** The object that an attempt whose answer was lost committed: its blocks have our ids. */
  async #ownBlocks(
    key: string,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ObjectInfo | 'refused'> {
    const list = await this.#container.send(this.#prefix + key, signal, (all, stop) =>
      this.#blob(all, key).getBlockList('committed', { abortSignal: stop }),
    );
    const blocks = list.kind === 'done' ? (list.value.committedBlocks ?? []) : [];
    const isOwn = blocks.length === ids.length && blocks.every(({ name }, i) => name === ids[i]);
    return (isOwn ? await this.head(key, signal) : null) ?? 'refused';
  }

  #entries({ segment, continuationToken }: AzurePage): ListPage {
    const cut = this.#prefix.length;
    const folders = (segment.blobPrefixes ?? []).map(({ name }) => {
      return { key: name.slice(cut), size: 0, etag: '' };
    });
    const blobs = (segment.blobItems ?? []).map(({ name, properties }) =>
      infoOf(name.slice(cut), properties),
    );
    return { entries: [...folders, ...blobs], next: continuationToken };
  }

  #answer<T>(result: StoreResult<T>, key: string): T {
    return answered(result, (what) => this.#fault(what, key));
  }

  #fault(what: string, key: string) {
    return this.#container.refusal(what, this.#prefix + key);
  }
}

const MOST_BLOCKS = 50_000;

/** Tags of versions have quotes in answers, and none in listings. */
const infoOf = (key: string, { etag = '', contentLength = 0 }: AzureAnswer): ObjectInfo => ({
  key,
  size: contentLength,
  etag: `"${etag.replaceAll('"', '')}"`,
});

function conditionsOf({ condition }: PutOptions, abortSignal: AbortSignal): AzureOptions {
  if (condition === undefined) return { abortSignal };
  const conditions = condition === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: condition.etag };
  return { abortSignal, conditions };
}
