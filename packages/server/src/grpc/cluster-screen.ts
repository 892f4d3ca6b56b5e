import { readNodeCall } from '../cluster/cluster-token.ts';
import { type Arriving, plainTooLarge, type Screen } from './screen.ts';
import { statusOf } from './status-of.ts';

/** Refuses callers without the key of the cluster. `mostBytes`: bytes of a request. */
export function clusterScreen(key: string | undefined, mostBytes: number): Screen {
  return Object.freeze({
    mostBytes,
    admit: ({ metadata }: Arriving) => {
      const [header] = metadata.get('authorization');
      try {
        readNodeCall(key, typeof header === 'string' ? header : undefined);
      } catch (error) {
        throw statusOf(error);
      }
      return undefined;
    },
    tooLarge: plainTooLarge(mostBytes),
  });
}
