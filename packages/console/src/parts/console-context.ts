import { ROUTES } from '@lakehouse-search/client/routes/internal';
import type { Scope } from '@lakehouse-search/contract';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleService } from '../service/console-service.ts';
import type { ConsoleOperation } from '../service/routes.ts';

const Context = createContext<ConsoleService | undefined>(undefined);

/** Gives all screens below it the service. */
export const ServiceProvider = Context.Provider;

const Scopes = createContext<readonly Scope[] | undefined>(undefined);

/** Gives all screens below it the scopes of the user; undefined: the service asks for none. */
export const ScopesProvider = Scopes.Provider;

/** Whether the user may call operations of a scope. */
export function useMay(scope: Scope): boolean {
  return useContext(Scopes)?.includes(scope) ?? true;
}

/** Tells of an operation whether the user may call it. */
export function useMayCall(): (operation: ConsoleOperation) => boolean {
  const scopes = useContext(Scopes);
  return (operation) => {
    const { scope } = ROUTES[operation];
    return scope === null || (scopes?.includes(scope) ?? true);
  };
}

/** The service of the screen. */
export function useService(): ConsoleService {
  const service = useContext(Context);
  if (service === undefined) throw new Error('a screen without a service');
  return service;
}
