/** Where a printed line has a command: at its start, behind `next: `, in brackets, in a chain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line may begin with a style
const COMMAND = /(^(?:\u001b\[[\d;]*m)*\s*(?:next: )?|\(|&& |, then |, )lhs (?=[a-z])/g;

/**
 * The line with its commands as they work here: under `npx lhs`, which puts no `lhs` on the PATH,
 * they begin with `npx lhs`.
 */
export function asTyped(line: string, env: NodeJS.ProcessEnv): string {
  return env.npm_command === 'exec' ? line.replace(COMMAND, '$1npx lhs ') : line;
}
