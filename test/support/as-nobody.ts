/** A user without rights of its own. */
export const NOBODY = 65_534;

/** Whether the tests run as root, to whom permissions do not apply. */
export const isRoot = process.geteuid?.() === 0;

/** Runs `work` as a user to whom permissions apply. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid!(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}
