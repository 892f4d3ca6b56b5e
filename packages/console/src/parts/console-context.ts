import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleService } from '../service/console-service.ts';

const Context = createContext<ConsoleService | undefined>(undefined);

/** Gives all screens below it the service. */
export const ServiceProvider = Context.Provider;

/** The service of the screen. */
export function useService(): ConsoleService {
  const service = useContext(Context);
  if (service === undefined) throw new Error('a screen without a service');
  return service;
}
