import { randomBytes } from 'node:crypto';
import type { Users } from '../store/users.ts';
import { hashPassword, requirePassword } from './passwords.ts';

/** The subject of the first account. */
export const FIRST_ADMIN = 'admin';

/**
 * Makes the account `admin` if there is no account yet. `password`: its password; one is generated
 * without it. Comes back with the generated password, to be printed this once, or undefined.
 */
export async function seedAdmin(
  users: Users,
  password: string | undefined,
): Promise<string | undefined> {
  if ((await users.list()).length > 0) return undefined;
  const generated = password === undefined ? randomBytes(18).toString('base64url') : undefined;
  const own = generated ?? requirePassword(password as string);
  const added = await users.add(FIRST_ADMIN, await hashPassword(own), ['admin']);
  return added ? generated : undefined;
}
