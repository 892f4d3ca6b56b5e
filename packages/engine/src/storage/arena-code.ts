import type { Arena } from './directory.ts';

/**
 * What a WebAssembly module exports over an arena. `code` is base64; it is compiled once, when it
 * is first asked for, and every call is a new instance. `imports`: functions that it calls.
 */
export function arenaCode(
  code: string,
  imports: Readonly<Record<string, (...values: number[]) => number | undefined>> = {},
): (arena: Arena) => WebAssembly.Exports {
  let compiled: WebAssembly.Module | undefined;
  return (arena) => {
    compiled ??= new WebAssembly.Module(Buffer.from(code, 'base64'));
    return new WebAssembly.Instance(compiled, { env: { ...imports, memory: arena.memory } })
      .exports;
  };
}

/** One value an arena, made when first asked for; it goes with its arena. */
export function onceAnArena<T extends object>(make: (arena: Arena) => T): (arena: Arena) => T {
  const made = new WeakMap<Arena, T>();
  return (arena) => {
    let own = made.get(arena);
    if (own === undefined) made.set(arena, (own = make(arena)));
    return own;
  };
}
