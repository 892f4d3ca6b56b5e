import type { CallContext } from '@lakehouse-search/contract';

/** Time for a node to close something. */
const CLOSE_MS = 5000;

/** The call that closes what another call has opened on a node, also if that one was aborted. */
export const closingCall = ({ principal }: CallContext): CallContext => ({
  deadline: Date.now() + CLOSE_MS,
  ...(principal === undefined ? {} : { principal }),
});
