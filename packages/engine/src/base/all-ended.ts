/**
 * What all of some work gives, once all of it has ended: then nothing reads what the caller
 * releases. Throws the first of their errors.
 */
export async function allEnded<T extends readonly unknown[] | []>(work: T) {
  await Promise.allSettled(work);
  return Promise.all(work);
}
