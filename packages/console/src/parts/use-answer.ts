import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ServiceError, shownError } from '../service/service-error.ts';

/** What is known of an answer. A value stays while a newer one is on its way, or has failed. */
export interface Answer<T> {
  readonly value?: T;
  readonly error?: ServiceError;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly again: () => void;
}

/**
 * The answer of `load`, which is asked again whenever `key` changes. A stale answer never replaces
 * a newer one: its call is aborted. `undefined` as key: nothing is asked.
 */
export function useAnswer<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
): Answer<T> {
  const [state, setState] = useState<Omit<Answer<T>, 'again'>>({ isLoading: key !== undefined });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // a turn asks the same again
  useEffect(() => {
    if (key === undefined) {
      setState({ isLoading: false });
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    setState(({ value }) => ({ value, isLoading: true }));
    latest.current(signal).then(
      (value) => signal.aborted || setState({ value, isLoading: false }),
      (thrown) => {
        const error = shownError(thrown);
        if (!signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [key, turn]);
  return { ...state, again: useCallback(() => setTurn((n) => n + 1), []) };
}

/** Calls `tick` every `ms` while the tab is seen; never if `ms` is undefined. */
export function useTicks(ms: number | undefined, tick: () => void): void {
  const latest = useRef(tick);
  latest.current = tick;
  useEffect(() => {
    if (ms === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}
