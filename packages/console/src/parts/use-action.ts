import { useState } from 'preact/hooks';
import { type ServiceError, shownError } from '../service/service-error.ts';

/** A change that a person asks for: one at a time, and its error. */
export interface Action {
  readonly isRunning: boolean;
  readonly error?: ServiceError;
  /** Runs a change; true: it was made. */
  run(change: () => Promise<unknown>): Promise<boolean>;
}

/** A change that has not been asked for yet. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ServiceError>();
  const run = async (change: () => Promise<unknown>) => {
    setRunning(true);
    setError(undefined);
    try {
      await change();
      return true;
    } catch (thrown) {
      setError(shownError(thrown));
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, run, ...(error === undefined ? {} : { error }) };
}
