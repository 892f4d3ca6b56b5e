import { useApp, useInput, usePaste, useWindowSize } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { actionsOf } from './keys.ts';
import type { Session } from './session.ts';
import type { Painter } from './view/painter.ts';

/** What the screen needs: the session, the painter and a way to suspend. */
export interface AppProps {
  readonly session: Session;
  readonly painter: Painter;
  readonly stop: () => Promise<void>;
}

/**
 * The terminal of the screen: sends keys, pastes and sizes to the session, has its state drawn, and
 * ends with it. Ink has nothing to lay out: rows are the painter's.
 */
export function App({ session, painter, stop }: AppProps): ReactNode {
  const { exit, suspendTerminal } = useApp();
  const { columns, rows } = useWindowSize();
  useEffect(() => drawing(session, painter, exit), [session, painter, exit]);
  useEffect(() => {
    const { state } = session;
    if (state.columns === columns && state.rows === rows) return;
    // a terminal moves lines when its size changes
    painter.forget();
    session.dispatch({ type: 'resized', columns, rows });
  }, [session, painter, columns, rows]);
  useEffect(() => {
    const suspend = () => void suspended();
    process.on('SIGTSTP', suspend);
    return () => void process.off('SIGTSTP', suspend);
  });
  useInput((input, key) => {
    if (key.ctrl && input === 'z') void suspended();
    else for (const action of actionsOf(input, key)) session.dispatch(action);
  });
  usePaste((text) => session.dispatch({ type: 'text', text }));

  async function suspended(): Promise<void> {
    painter.pause();
    await suspendTerminal(stop);
    painter.resume(session.state);
  }
  return null;
}

/** Draws the newest state after all pending events have changed it. Exits with the outcome. */
function drawing(session: Session, painter: Painter, exit: (outcome: unknown) => void) {
  let planned = false;
  const draw = () => {
    planned = false;
    const { state } = session;
    if (state.outcome === undefined) painter.draw(state);
    else exit(state.outcome);
  };
  draw();
  return session.subscribe(() => {
    if (planned) return;
    planned = true;
    queueMicrotask(draw);
  });
}
