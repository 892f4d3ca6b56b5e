import { Box, Text, useApp, useInput, usePaste, useWindowSize } from 'ink';
import { createElement, memo, type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { deedsOf } from './keys.ts';
import { paint } from './paint.ts';
import { screenLines } from './screen.ts';
import type { Session } from './session.ts';

/** What the screen is given: its state's keeper, whether to colour, and how to stop for a while. */
export interface AppProps {
  readonly session: Session;
  readonly color: boolean;
  readonly stop: () => Promise<void>;
}

/** The screen: draws the state, sends keys, pastes and sizes to the session, ends with it. */
export function App({ session, color, stop }: AppProps): ReactNode {
  const state = useSyncExternalStore(session.subscribe, session.snapshot);
  const { exit, suspendTerminal } = useApp();
  const { columns, rows } = useWindowSize();
  useEffect(() => {
    const { state: drawn } = session;
    if (drawn.columns === columns && drawn.rows === rows) return;
    session.dispatch({ type: 'resized', columns, rows });
    // a terminal moves lines when its size changes: nothing that was drawn can be counted on
    void suspendTerminal(() => undefined);
  }, [session, columns, rows, suspendTerminal]);
  useEffect(() => {
    if (state.outcome !== undefined) exit(state.outcome);
  }, [state.outcome, exit]);
  useEffect(() => {
    const suspend = () => void suspendTerminal(stop);
    process.on('SIGTSTP', suspend);
    return () => void process.off('SIGTSTP', suspend);
  }, [suspendTerminal, stop]);
  useInput((input, key) => {
    if (key.ctrl && input === 'z') void suspendTerminal(stop);
    else for (const deed of deedsOf(input, key)) session.dispatch(deed);
  });
  usePaste((text) => session.dispatch({ type: 'text', text }));
  const lines = screenLines(state);
  return createElement(
    Box,
    { flexDirection: 'column', height: state.rows, width: state.columns, overflow: 'hidden' },
    lines.map((line, row) => drawnRow(row, paint(line, color))),
  );
}

/** A row of the screen is its place: nothing moves, texts change. */
function drawnRow(row: number, text: string): ReactNode {
  return createElement(Row, { key: row, text });
}

/** One row of the screen; drawn again only when its text has changed. */
const Row = memo(({ text }: { readonly text: string }) =>
  createElement(Text, { wrap: 'truncate' }, text),
);
