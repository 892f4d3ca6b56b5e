import {
  type CallContext,
  type FollowEvent,
  LhsError,
  type Principal,
} from '@lakehouse-search/contract';
import { OPERATION_NAMES, OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import type { CachedParts, RepeatedRequest } from '@lakehouse-search/engine/internal';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import type { Access, Arrival } from '../access/access.ts';
import type { LoginAttempts } from '../access/login-attempts.ts';
import type { Admit, Admitted } from '../limits/admission.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import type { Observer } from '../observe/observer.ts';
import type { Span } from '../observe/trace-context.ts';
import { type Apis, type Run, runnersOver } from './service-over.ts';

/** What calls go through on their way to a backend. */
export interface CallsOptions extends Apis {
  readonly access: Access;
  /** Default: every call begins at once. */
  readonly admit?: Admit;
  /** Limits how often passwords are tried. Default: it is not limited. */
  readonly attempts?: LoginAttempts;
  /** Milliseconds after which a stream ends whose client takes nothing. Default: a minute. */
  readonly readerMs?: number;
  readonly observer?: Observer;
  /** Makes spans of the reads of nodes. Absent: there are none. */
  readonly nodeSpans?: NodeSpans;
}

const READER_MS = 60_000;

/** A call that may begin. */
export interface Begun {
  readonly principal: Principal | undefined;
  /** Frees what the call was admitted with. */
  readonly release: (() => void) | undefined;
}

/** The way of every call, whatever transport it came by: caller, scope, limits, operation. */
export class Calls {
  readonly observer: Observer | undefined;
  /** The service requires no credentials. */
  readonly isOpen: boolean;
  readonly readerMs: number;
  readonly #access: Access;
  readonly #admit: Admit | undefined;
  readonly #attempts: LoginAttempts | undefined;
  readonly #nodeSpans: NodeSpans | undefined;
  readonly #runners: ReadonlyMap<Operation, Run>;
  readonly #recall: LocalEngine['recall'] | undefined;
  readonly #ending = new AbortController();

  constructor(options: CallsOptions) {
    const { access, admit, attempts, observer, nodeSpans, readerMs = READER_MS, ...apis } = options;
    this.readerMs = readerMs;
    this.#attempts = attempts;
    this.#nodeSpans = nodeSpans;
    this.#access = access;
    this.isOpen = access.isOpen === true;
    this.#admit = admit;
    this.observer = observer;
    this.#runners = runnersOver(apis, OPERATION_NAMES);
    const { recall } = apis.backend as Partial<LocalEngine>;
    this.#recall = recall?.bind(apis.backend);
  }

  /** Lets a call begin. Throws and rejects with unauthenticated, permission_denied, overloaded. */
  begin(
    operation: Operation,
    arrival: Arrival,
    authorization: string | undefined,
    request: unknown,
  ): Begun | Promise<Begun> {
    const caller = this.#caller(operation, arrival, authorization);
    const admit = (principal: Principal | undefined) =>
      this.#begun({ ...arrival, operation, index: indexOf(request), principal });
    return caller instanceof Promise ? caller.then(admit) : admit(caller);
  }

  #begun(call: Admitted): Begun | Promise<Begun> {
    const { principal, operation, index } = call;
    const refuse = (error: unknown): never => {
      throw refusalOf(principal, error);
    };
    try {
      this.#access.authorize(principal, operation, index);
      const release = this.#admit?.(call);
      if (!(release instanceof Promise)) return { principal, release };
      return release.then((released) => ({ principal, release: released }), refuse);
    } catch (error) {
      return refuse(error);
    }
  }

  /**
   * Throws unauthenticated and permission_denied, before the request is known. No promise comes
   * back if the caller is known at once.
   */
  requireCaller(
    operation: Operation,
    arrival: Arrival,
    authorization: string | undefined,
  ): undefined | Promise<void> {
    const permit = (caller: Principal | undefined) => {
      try {
        this.#access.permit?.(caller, operation);
      } catch (error) {
        throw refusalOf(caller, error);
      }
    };
    const caller = this.#caller(operation, arrival, authorization);
    if (caller instanceof Promise) return caller.then(permit);
    permit(caller);
  }

  #caller(operation: Operation, arrival: Arrival, authorization: string | undefined) {
    if (OPERATIONS[operation].scope === null) return undefined;
    return this.#access.authenticate(authorization, arrival);
  }

  /** The answer to a repeated read if it is there at once. Throws as the read. */
  recall(request: RepeatedRequest, call: CallContext): CachedParts | undefined {
    return this.#recall?.(request, call);
  }

  /** A session for a password, as often as the address may try passwords of the user. */
  login(request: unknown, remote: string, call: CallContext): Promise<unknown> {
    const login = async () => this.run('login', request, call);
    return this.#attempts?.run(usernameOf(request), remote, login) ?? login();
  }

  /** The answer of an operation: a promise, or the items of a stream. `span`: that of the call. */
  run(operation: Operation, request: unknown, call: CallContext, span?: Span): unknown {
    const runner = this.#runners.get(operation)!;
    if (operation === 'follow') return this.#followed(runner, request, call);
    if (this.#nodeSpans === undefined || span === undefined) return runner(request, call);
    return this.#nodeSpans.within(span, () => runner(request, call));
  }

  /** Ends the calls that have no end of their own; their callers read the error `closed`. */
  endFollowing(): void {
    this.#ending.abort();
  }

  async *#followed(run: Run, request: unknown, call: CallContext): AsyncGenerator<FollowEvent> {
    const { signal: ending } = this.#ending;
    const signal = call.signal === undefined ? ending : AbortSignal.any([call.signal, ending]);
    yield* run(request, { ...call, signal }) as AsyncIterable<FollowEvent>;
    if (!ending.aborted) return;
    const hint = 'follow the index again';
    throw new LhsError('closed', 'the service is about to end', { hint });
  }
}

const refused = new WeakMap<object, Principal>();

function refusalOf(principal: Principal | undefined, error: unknown): unknown {
  if (principal !== undefined && error instanceof Error) refused.set(error, principal);
  return error;
}

/** The caller to whom a call was refused before it began, for its record. */
export const refusedCaller = (error: unknown): Principal | undefined =>
  error instanceof Error ? refused.get(error) : undefined;

/** No name of an index or a user is as long. */
const MOST_CHARS = 200;

const usernameOf = (request: unknown): string => {
  const { username } = Object(request) as { readonly username?: unknown };
  return typeof username === 'string' ? username.slice(0, MOST_CHARS) : '';
};

/** The index that a request names, or a response, for records and limits. */
export function indexOf(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null || !('index' in request)) return undefined;
  const { index } = request;
  if (typeof index !== 'string') return undefined;
  return index.length > MOST_CHARS ? `${index.slice(0, MOST_CHARS)}…` : index;
}
