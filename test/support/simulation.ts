import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { seededNumbers } from './random.ts';

/** What may go wrong with a request, each with its share of all requests. */
export interface RequestFaults {
  /** It never arrives. */
  readonly fail: number;
  /** It takes place, and its answer is lost. */
  readonly lose: number;
  /** A write takes place after its sender was told that it failed. */
  readonly late: number;
  readonly longestLateMs: number;
}

/** What may happen to the processes of a schedule, each with its share of all steps. */
export interface ProcessFaults {
  /** A process stands still for up to `longestPauseMs`; its requests are under way meanwhile. */
  readonly pause: number;
  readonly longestPauseMs: number;
  /** A process is gone; requests of it may still arrive. */
  readonly kill: number;
}

/** A schedule without any fault. */
export const NO_FAULTS: RequestFaults & ProcessFaults = Object.freeze({
  ...{ fail: 0, lose: 0, late: 0, longestLateMs: 0, pause: 0, longestPauseMs: 0, kill: 0 },
});

const SHARES = [0, 0, 0.01, 0.05, 0.2];

/** Faults of some kinds, some rare and some frequent, as a seed has it. */
export function someFaults(seed: number): RequestFaults & ProcessFaults {
  const next = seededNumbers(seed);
  const share = () => SHARES[Math.floor(next() * SHARES.length)]!;
  const [fail, lose, late] = [share() / 2, share() / 2, share() / 2];
  const [pause, kill] = [share() / 4, share() / 10];
  const [longestLateMs, longestPauseMs] = [10 ** (2 + next() * 3.7), 10 ** (2 + next() * 6)];
  return { fail, lose, late, longestLateMs, pause, longestPauseMs, kill };
}

/** One of the processes of a schedule. */
export interface SimulatedProcess {
  readonly name: string;
  readonly state: 'runs' | 'done' | 'killed';
}

/** How a request is known to the simulation. */
export interface SimulatedRequest<T> {
  readonly what: string;
  readonly isWrite: boolean;
  /** What it does in the store, at one moment. */
  readonly effect: () => T;
  /** The error of a request without an answer. */
  readonly fault: () => Error;
}

interface Step {
  readonly what: string;
  readonly run: () => void;
  /** The process that cannot be standing still, if there is one. */
  readonly process: Process | null;
}

/** A request that takes place now and then, at a time at last. */
interface LateStep extends Step {
  readonly until: number;
}

interface Process {
  readonly name: string;
  state: 'runs' | 'done' | 'killed';
  pausedUntil: number;
  readonly longestPauseMs: number;
  /** Requests without an answer. */
  waiting: number;
}

interface Sleeper {
  readonly process: Process | undefined;
  readonly until: number;
  readonly wake: () => void;
}

const BEGIN_MS = Date.UTC(2026, 0, 1);
/** More steps are no schedule but a loop. */
const MOST_STEPS = 20_000;
const LATE_SHARE = 0.05;

/**
 * Several processes over one store, as tasks of this one, in an order that follows from a seed:
 * each request takes place at one moment and is answered at a later one; between them any step of
 * another process may come. Time stands still but for the steps and for sleepers, so that hours
 * pass at once. Tasks may read files, one request or file at a time.
 */
export class Simulation {
  /** What happened, a line for each step. */
  readonly trace: string[] = [];
  /** Called after each step. */
  onStep: () => void = () => undefined;
  readonly #faults: RequestFaults & ProcessFaults;
  readonly #next: () => number;
  readonly #processes: Process[] = [];
  /** The process whose task runs. */
  readonly #running = new AsyncLocalStorage<Process>();
  readonly #tasks: Promise<void>[] = [];
  readonly #errors: unknown[] = [];
  #steps: Step[] = [];
  #late: LateStep[] = [];
  #sleepers: Sleeper[] = [];
  #nowMs = BEGIN_MS;

  constructor(seed: number, faults: RequestFaults & ProcessFaults) {
    this.#faults = faults;
    this.#next = seededNumbers(seed);
  }

  /** Time and chance of the schedule. */
  readonly clock = Object.freeze({
    now: () => this.#nowMs,
    ticks: () => this.#nowMs,
    sleep: (ms: number) => this.#sleep(ms),
    random: () => this.#next(),
  });

  /** A number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.#next() * below);
  }

  /**
   * Begins a process, which stands still for `longestPauseMs` at most. `run` throws what `work`
   * throws. Returns the process.
   */
  start(
    name: string,
    work: (process: SimulatedProcess) => Promise<void>,
    longestPauseMs = Number.POSITIVE_INFINITY,
  ): SimulatedProcess {
    const process: Process = { name, state: 'runs', pausedUntil: 0, longestPauseMs, waiting: 0 };
    this.#processes.push(process);
    const task = async () => {
      await this.#sleep(this.below(1000));
      await work(process);
      process.state = 'done';
    };
    const running = this.#running.run(process, task);
    this.#tasks.push(running.catch((error: unknown) => void this.#errors.push(error)));
    return process;
  }

  /** One request of a process; that of a killed one is never answered. */
  request<T>(sender: SimulatedProcess, request: SimulatedRequest<T>): Promise<T> {
    const process = this.#processes.find((one) => one === sender) ?? null;
    const what = `${sender.name}: ${request.what}`;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (sender.state === 'killed') return promise;
    if (process !== null) process.waiting++;
    const answer = (give: () => void, how: string) => {
      if (process?.state === 'killed') return;
      const run = () => {
        if (process !== null) process.waiting--;
        give();
      };
      this.#steps.push({ what: `${what} -> ${how}`, run, process });
    };
    // what is under way arrives, whatever becomes of its sender
    const isSent = process === null || process.pausedUntil <= this.#nowMs;
    const takePlace = (then: (value: T) => void) =>
      this.#steps.push({
        what,
        run: () => then(request.effect()),
        process: isSent ? null : process,
      });
    const lost = () => reject(request.fault());
    switch (this.#fate(request.isWrite)) {
      case 'fail':
        answer(lost, 'fails');
        break;
      case 'late':
        answer(lost, 'fails');
        this.#late.push({
          what: `${what} (late)`,
          run: () => void request.effect(),
          process: null,
          until: this.#nowMs + this.below(this.#faults.longestLateMs),
        });
        break;
      case 'lose':
        takePlace(() => answer(lost, 'lost'));
        break;
      case 'done':
        takePlace((value) => answer(() => resolve(value), 'answered'));
    }
    return promise;
  }

  /** Ends when no process has work any more and every request has arrived. */
  async run(): Promise<void> {
    const restore = replaceChance(this);
    try {
      for (;;) {
        await settled();
        while (this.#isAtWork()) await settled();
        if (this.#errors.length > 0) throw this.#errors[0];
        if (!this.#step() && !this.#pass()) return;
        if (this.trace.length > MOST_STEPS) throw new Error('the schedule has no end');
        this.onStep();
      }
    } finally {
      restore();
    }
  }

  /** Whether a process waits for neither an answer nor the clock, but for files. */
  #isAtWork(): boolean {
    const sleeping = new Set(this.#sleepers.map(({ process }) => process));
    return (
      this.#errors.length === 0 &&
      this.#processes.some((one) => one.state === 'runs' && one.waiting === 0 && !sleeping.has(one))
    );
  }

  #fate(isWrite: boolean): keyof RequestFaults | 'done' {
    const { fail, lose, late } = this.#faults;
    const chance = this.#next();
    if (chance < fail) return 'fail';
    if (chance < fail + lose) return 'lose';
    return isWrite && chance < fail + lose + late ? 'late' : 'done';
  }

  /** One step of those that can be taken; false if there is none. */
  #step(): boolean {
    this.#strike();
    const free = this.#steps.filter(
      ({ process }) => process === null || process.pausedUntil <= this.#nowMs,
    );
    const due = this.#late.filter(({ until }) => until <= this.#nowMs);
    const late = due.length === 0 && this.#next() < LATE_SHARE ? this.#late : due;
    const some = late.length > 0 ? late : free;
    if (some.length === 0) return false;
    const step = some[this.below(some.length)]!;
    this.#steps = this.#steps.filter((one) => one !== step);
    this.#late = this.#late.filter((one) => one !== step);
    this.#nowMs += this.below(40);
    this.trace.push(step.what);
    step.run();
    return true;
  }

  /** Lets time pass until something can go on; false if nothing ever will. */
  #pass(): boolean {
    const pauses = this.#steps.map(({ process }) => process?.pausedUntil ?? 0);
    const ends = [...[...this.#sleepers, ...this.#late].map(({ until }) => until), ...pauses];
    if (ends.length === 0) return false;
    this.#nowMs = Math.max(this.#nowMs, Math.ceil(Math.min(...ends)));
    const awake = this.#sleepers.filter(({ until }) => until <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#nowMs);
    for (const { wake } of awake) wake();
    return true;
  }

  #strike(): void {
    const { pause, longestPauseMs, kill } = this.#faults;
    const chance = this.#next();
    const running = this.#processes.filter(({ state }) => state === 'runs');
    if (chance >= pause + kill || running.length === 0) return;
    const struck = running[this.below(running.length)]!;
    if (chance < kill) this.#kill(struck);
    else {
      const longest = Math.min(longestPauseMs, struck.longestPauseMs);
      struck.pausedUntil = this.#nowMs + this.below(longest);
      this.trace.push(`${struck.name} stands still`);
    }
  }

  #kill(process: Process): void {
    process.state = 'killed';
    this.#steps = this.#steps.filter((step) => step.process !== process);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.process !== process);
    this.trace.push(`${process.name} is killed`);
  }

  #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const process = this.#running.getStore();
    if (process?.state !== 'killed') {
      this.#sleepers.push({ process, until: this.#nowMs + ms, wake: resolve });
    }
    return promise;
  }
}

/** All that can go on without the store and the clock has. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Puts the clock and the chance of a simulation in the place of Node's; returns what ends it. */
function replaceChance({ clock }: Simulation): () => void {
  const { now } = Date;
  const { random } = Math;
  const { randomUUID, randomBytes } = crypto;
  const { setTimeout } = timers;
  const bytes = (size: number) =>
    Buffer.from(Array.from({ length: size }, () => clock.random() * 256));
  const uuid = () =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(....)(....)(....)/, '$1-$2-$3-$4-');
  const put = (parts: object, chance: object, time: object, math: object) => {
    Object.assign(crypto, parts);
    Object.assign(timers, chance);
    Object.assign(Date, time);
    Object.assign(Math, math);
    syncBuiltinESMExports();
  };
  const sleep = async (ms: number, value: unknown) => {
    await clock.sleep(ms);
    return value;
  };
  const seeded = { randomUUID: uuid, randomBytes: bytes };
  put(seeded, { setTimeout: sleep }, { now: clock.now }, { random: clock.random });
  return () => put({ randomUUID, randomBytes }, { setTimeout }, { now }, { random });
}
