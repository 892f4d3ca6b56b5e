/** Who uses this tab: the token of a session, or an API token. */

/** Credentials of a tab. */
export interface Credentials {
  /** `Bearer`: a session. `ApiKey`: an API token. */
  readonly scheme: 'Bearer' | 'ApiKey';
  readonly token: string;
  /** The user, if it is known. */
  readonly user?: string;
}

/** The part of `Storage` that a session uses. */
export type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'lhs-session';

/** The credentials of a tab. They end with it: nothing is written to disk. */
export interface Session {
  current(): Credentials | undefined;
  begin(credentials: Credentials): void;
  end(): void;
}

/** A session that survives a reload of the tab. Storage that is switched off is not used. */
export function tabSession(kept: Kept | undefined): Session {
  let credentials = read(kept);
  return {
    current: () => credentials,
    begin(given) {
      credentials = given;
      attempt(() => kept?.setItem(KEY, JSON.stringify(given)));
    },
    end() {
      credentials = undefined;
      attempt(() => kept?.removeItem(KEY));
    },
  };
}

function read(kept: Kept | undefined): Credentials | undefined {
  const text = attempt(() => kept?.getItem(KEY));
  return typeof text === 'string' ? attempt(() => JSON.parse(text) as Credentials) : undefined;
}

/** Browsers throw if their user has switched storage off. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
