import { shellWord } from './shell-word.ts';
import { typedFlags } from './typed-flags.ts';

/** The command line of a command that failed. */
interface FailedCommand {
  readonly argv: readonly string[];
  readonly flags: Parameters<typeof typedFlags>[2];
  /** The definition file that it has read. */
  readonly file: string | undefined;
  /** The definition file that was typed in place of an index. */
  readonly typedFile: string | undefined;
}

/** The lines of an error with the user's file names and the spelling of flags. */
export function commandLines(
  [message, ...more]: readonly string[],
  { argv, flags, file, typedFile }: FailedCommand,
): readonly string[] {
  const of = file ?? shellWord(typedFile ?? 'FILE');
  // line and column are those of the definition file
  const prefix = () => (file === undefined ? '' : `${file}, `);
  const placed = message.replace(/(?=line \d+, column \d+: )/, prefix);
  const withFile = (line: string) =>
    line.replace(/^( {2}lhs index \w+) FILE$/, (_, command) => `${command} ${of}`);
  return [typedFlags(placed, argv, flags), ...more.map(withFile)];
}
