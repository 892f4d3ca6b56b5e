import { LhsError } from '@lakehouse-search/contract';
import {
  type Check,
  flag,
  memoryBytes,
  text,
  whole,
  wrong,
} from '@lakehouse-search/contract/internal';
import type { ServerConfig } from './server-config.ts';
import {
  SERVER_SETTINGS,
  type ServerSetting,
  type SettingPath,
  settingVariable,
} from './settings.ts';

/** HOST:PORT; an IPv6 address is in brackets. */
const ADDRESS = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i;

/** A host and a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The host and port of HOST:PORT. Throws invalid_argument. */
export function parseAddress(value: unknown, field: string): Address {
  const parts = typeof value === 'string' ? ADDRESS.exec(value) : null;
  const port = Number(parts?.[2]);
  if (parts === null || port > 65_535) {
    throw wrong(field, value, 'HOST:PORT, for example 127.0.0.1:8080');
  }
  return { host: parts[1].replace(/^\[|\]$/g, ''), port };
}

/** True for addresses that only this machine reaches. */
export const isLoopback = ({ host }: Address): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

const address: Check = (value, field) => void parseAddress(value, field);
const url: Check = (value, field) => {
  text(value, field);
  const parsed = URL.canParse(value as string) ? new URL(value as string) : undefined;
  const isSafe = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (isSafe && parsed.username === '' && parsed.password === '') return;
  throw wrong(field, value, 'an address that begins with https:// or http://, without a password');
};
/** Less memory holds no server with its index. */
const LEAST_MEMORY = 304 * 2 ** 20;
const memory: Check = (value, field) => {
  text(value, field);
  const isAmount = /^\d{1,6}\s*[MG]iB$/i.test(value as string);
  if (isAmount && memoryBytes(value as string) >= LEAST_MEMORY) return;
  throw wrong(field, value, 'an amount of memory from 304MiB on, for example 2GiB');
};
const notEmpty: Check = (value, field) => {
  text(value, field);
  if (value === '') throw wrong(field, value, 'a value');
};

/** The check of a setting. */
export function checkSetting({ type, least = 0, most = 0 }: ServerSetting): Check {
  if (type === 'address') return address;
  if (type === 'flag') return flag;
  if (type === 'whole') return whole(least, most);
  if (type === 'memory') return memory;
  return type === 'url' ? url : notEmpty;
}

/** The settings of environment variables. Throws invalid_argument, naming the variable. */
export function environmentValues(env: NodeJS.ProcessEnv): ServerConfig['values'] {
  const found: Record<string, unknown> = {};
  for (const path of Object.keys(SERVER_SETTINGS) as SettingPath[]) {
    const variable = settingVariable(path);
    const written = env[variable];
    if (written === undefined || written === '') continue;
    const value = readValue(SERVER_SETTINGS[path], written);
    checkSetting(SERVER_SETTINGS[path])(value, variable);
    found[path] = value;
  }
  return found as ServerConfig['values'];
}

function readValue({ type }: ServerSetting, written: string): unknown {
  if (type === 'flag')
    return { true: true, '1': true, false: false, '0': false }[written] ?? written;
  return type === 'whole' && /^\d+$/.test(written) ? Number(written) : written;
}

/** Reads the value of an environment variable that a setting names. Throws invalid_argument. */
export function secretOf(env: NodeJS.ProcessEnv, variable: string, setting: SettingPath): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  const message = `"${setting}" names the variable ${variable}, which is not set`;
  throw new LhsError('invalid_argument', message);
}
