import type { Job } from '@lakehouse-search/contract';
import { ENDED_JOB_STATES } from '@lakehouse-search/contract/internal';
import { askLetter } from '../terminal/ask/ask-letter.ts';
import { progressReport } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { progressOf } from './job-lines.ts';
import type { WatchedJob } from './watched-job.ts';

const QUESTION = 'stop watching? [d]etach, [c]ancel the job, Enter to go on: ';

/**
 * A terminal on which a job is watched. Ctrl-C asks whether to detach or to cancel; a second one
 * cancels the job and ends this process. SIGTERM and SIGHUP cancel it.
 */
export class JobWatch {
  readonly #job: WatchedJob;
  readonly #terminal: Terminal;
  readonly #endNow: () => void;
  readonly #detached = Promise.withResolvers<null>();
  #asking = false;
  #ending = false;

  constructor(job: WatchedJob, terminal: Terminal, endNow: () => void) {
    this.#endNow = endNow;
    this.#job = job;
    this.#terminal = terminal;
  }

  /** The last record of the job; null if it is to go on without this terminal. */
  async end(): Promise<Job | null> {
    const ask = () => void this.#ask();
    const cancel = () => void this.#job.cancel();
    process.on('SIGINT', ask);
    for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, cancel);
    this.#terminal.err(`job ${this.#job.first.job_id} (Ctrl-C: detach or cancel)`);
    try {
      return await Promise.race([this.#watch(), this.#detached.promise]);
    } finally {
      process.removeListener('SIGINT', ask);
      for (const name of ['SIGTERM', 'SIGHUP'] as const) process.removeListener(name, cancel);
    }
  }

  async #watch(): Promise<Job> {
    const report = progressReport(this.#terminal, this.#job.first.index, false);
    let last = this.#job.first;
    for await (const job of this.#job.records()) {
      last = job;
      const progress = progressOf(job);
      if (progress !== null && !this.#asking) report.update(progress);
      if (ENDED_JOB_STATES.has(job.state)) break;
    }
    report.stop();
    return last;
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    this.#terminal.err('');
    const letter = await askLetter(QUESTION, () => this.#cancelAndEnd());
    this.#asking = false;
    if (letter === 'd') this.#detached.resolve(null);
    if (letter === 'c') void this.#job.cancel();
  }

  #cancelAndEnd(): void {
    if (this.#ending) this.#endNow();
    this.#ending = true;
    void this.#job.cancel().finally(this.#endNow);
  }
}
