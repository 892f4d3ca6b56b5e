/** A flag with its other names. */
interface Named {
  readonly aliases?: readonly string[] | undefined;
}

/** The text with each flag under the name that the command line has for it. */
export function typedFlags(
  text: string,
  argv: readonly string[],
  flags: Readonly<Record<string, Named>> = {},
): string {
  const typed = new Set(argv.map((word) => word.split('=')[0]));
  const named = Object.entries(flags).map(([name, { aliases = [] }]) => [name, ...aliases]);
  return text.replace(/--[\w-]+/g, (flag) => {
    const names = named.find((each) => each.includes(flag.slice(2))) ?? [];
    const same = names.map((name) => `--${name}`).find((name) => typed.has(name));
    return typed.has(flag) ? flag : (same ?? flag);
  });
}
