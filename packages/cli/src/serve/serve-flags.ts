import type { ServerConfig } from '@lakehouse-search/server';
import { Flags } from '@oclif/core';

/** Flags of the commands that serve a data folder. */
export const SERVE_FLAGS = {
  'rest-addr': Flags.string({
    description: 'address of REST (127.0.0.1:8080)',
    helpValue: 'HOST:PORT',
  }),
  addr: Flags.string({ description: 'address of gRPC (127.0.0.1:8081)', helpValue: 'HOST:PORT' }),
  auth: Flags.boolean({ description: 'require credentials' }),
  'insecure-open': Flags.boolean({
    description: 'without --auth, accept other hosts than this one',
  }),
  config: Flags.string({ description: 'configuration file (YAML)', helpValue: 'FILE' }),
  sync: Flags.boolean({
    description: 'keep the indexes equal to their tables (on)',
    allowNo: true,
  }),
};

/** Values of these flags. */
export interface ServeFlags {
  readonly 'rest-addr'?: string;
  readonly addr?: string;
  readonly auth?: boolean;
  readonly 'insecure-open'?: boolean;
  readonly config?: string;
  readonly sync?: boolean;
  readonly 'data-dir'?: string;
}

/** The settings that flags give. */
export function flagValues(flags: ServeFlags): ServerConfig['values'] {
  const values = {
    rest_addr: flags['rest-addr'],
    addr: flags.addr,
    auth: flags.auth,
    insecure_open: flags['insecure-open'],
    sync: flags.sync,
    data_dir: flags['data-dir'],
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
