import { LakeError } from '../../packages/lake/src/base/errors.ts';
import type {
  GetOptions,
  GotObject,
  ListOptions,
  ObjectBody,
  ObjectInfo,
  ObjectStore,
  PutOptions,
} from '../../packages/lake/src/objects/object-store.ts';
import type { SimulatedProcess, Simulation } from './simulation.ts';

/** The objects of a simulated store by key. */
export type SimulatedObjects = Map<string, { readonly bytes: Buffer; readonly etag: string }>;

/** Entries of a page of a listing: few, so that others write between them. */
const PAGE = 3;

/** The store as one process of a simulation sees it. */
export class SimulatedStore implements ObjectStore {
  readonly #simulation: Simulation;
  readonly #process: SimulatedProcess;
  readonly #objects: SimulatedObjects;

  constructor(simulation: Simulation, process: SimulatedProcess, objects: SimulatedObjects) {
    this.#simulation = simulation;
    this.#process = process;
    this.#objects = objects;
  }

  head(key: string): Promise<ObjectInfo | null> {
    return this.#request(`head ${key}`, () => this.#info(key));
  }

  get(key: string, options: GetOptions = {}): Promise<GotObject | 'missing' | 'changed'> {
    const { span = { offset: 0, length: Number.POSITIVE_INFINITY }, etag } = options;
    return this.#request(`get ${key}`, () => {
      const info = this.#info(key);
      if (info === null) return 'missing';
      if (etag !== undefined && etag !== info.etag) return 'changed';
      const offset = 'suffix' in span ? Math.max(0, info.size - span.suffix) : span.offset;
      const end = 'suffix' in span ? info.size : offset + span.length;
      const bytes = this.#objects.get(key)!.bytes.subarray(offset, end);
      return { ...info, offset, bytes: Buffer.from(bytes) };
    });
  }

  async put(
    key: string,
    body: ObjectBody,
    { condition }: PutOptions = {},
  ): Promise<ObjectInfo | 'refused'> {
    if ('file' in body) throw new Error('files are not simulated');
    const bytes = Buffer.from('read' in body ? await body.read(0, body.size) : body);
    const write = () => {
      const there = this.#objects.get(key);
      if (condition === 'absent' && there !== undefined) return 'refused';
      if (typeof condition === 'object' && there?.etag !== condition.etag) return 'refused';
      this.#objects.set(key, { bytes, etag: `${this.#simulation.trace.length}` });
      return this.#info(key)!;
    };
    return this.#request(`put ${key}${condition === undefined ? '' : '?'}`, write, true);
  }

  async *list(prefix: string, { oneLevel = false }: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    for (let after = ''; ; ) {
      const page = await this.#request(`list ${prefix}`, () => this.#page(prefix, oneLevel, after));
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.key;
    }
  }

  /** Each key by a request of its own: some of them may fail. */
  async delete(keys: readonly string[]): Promise<void> {
    const remove = (key: string) =>
      this.#request(`delete ${key}`, () => void this.#objects.delete(key), true);
    for (const key of keys) await remove(key);
  }

  async sweep(): Promise<void> {}

  #page(prefix: string, oneLevel: boolean, after: string): readonly ObjectInfo[] {
    const level = (key: string) => {
      const slash = oneLevel ? key.indexOf('/', prefix.length) : -1;
      return slash < 0 ? key : key.slice(0, slash + 1);
    };
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).map(level);
    const later = [...new Set(keys)].filter((key) => key > after).sort();
    return later.slice(0, PAGE).map((key) => this.#info(key) ?? { key, size: 0, etag: '' });
  }

  #info(key: string): ObjectInfo | null {
    const found = this.#objects.get(key);
    return found === undefined ? null : { key, size: found.bytes.length, etag: found.etag };
  }

  #request<T>(what: string, effect: () => T, isWrite = false): Promise<T> {
    const fault = () => new LakeError('storage_unreachable', `no answer to "${what}"`);
    return this.#simulation.request(this.#process, { what, effect, fault, isWrite });
  }
}
